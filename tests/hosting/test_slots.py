"""Slots for processes that read files: how many, whose turn, and what ends a wait."""

from contextlib import ExitStack

import pytest

from mrwtd.hosting.slots import KEPT_SECONDS, SMALL, Slot, Slots


class FakeProcess:
    """A process that only knows whether it was killed."""

    is_killed = False

    def kill(self) -> None:
        self.is_killed = True


class FullError(Exception):
    """Raised by the check of a slot that has to wait."""


class Clock:
    """A clock that is set by the test."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def full(ahead: int) -> None:
    raise FullError(ahead)


@pytest.fixture
def busy() -> ExitStack:
    """Slots in use until they are closed."""
    return ExitStack()


def start(slots: Slots, slot: Slot) -> Slot:
    """Use a slot for a moment; the process stays."""
    with slots.use(slot, full):
        slot.process = slot.process or FakeProcess()
    return slot


def waits(slots: Slots, slot: Slot) -> bool:
    try:
        with slots.use(slot, full):
            return False
    except FullError:
        return True


def test_no_more_than_a_number_work_at_once(busy: ExitStack) -> None:
    slots = Slots(2)
    busy.enter_context(slots.use(Slot("ann")))
    busy.enter_context(slots.use(Slot("bob")))
    with pytest.raises(FullError) as error, slots.use(Slot("cat"), full):
        pass
    assert error.value.args == (2,)
    busy.close()
    assert not waits(slots, Slot("cat"))


def test_a_wait_ends_when_another_file_is_read(busy: ExitStack) -> None:
    slots, ahead = Slots(1), []
    busy.enter_context(slots.use(Slot("ann")))

    def check(number: int) -> None:
        ahead.append(number)
        busy.close()

    with slots.use(Slot("bob"), check):
        assert ahead == [1]


def is_first(slots: Slots, slot: Slot, other: Slot) -> bool:
    """Whether a slot gets the place that another one already waits for."""
    passed = []

    def come_later(_: int) -> None:
        try:
            with slots.use(slot, full):
                pass
        except FullError as error:
            passed.append(error.args == (1,))  # the one that is busy now
        raise FullError

    with slots.use(Slot(size=SMALL)), pytest.raises(FullError), slots.use(other, come_later):
        pass
    return passed == [True]


def test_users_take_turns() -> None:
    slots = Slots(1)
    assert not is_first(slots, Slot("bob"), Slot("ann"))
    start(slots, Slot("ann", 2 * SMALL))
    assert is_first(slots, Slot("bob"), Slot("ann"))
    assert not is_first(slots, Slot("ann"), Slot("bob"))


def test_of_two_files_the_smaller_is_first() -> None:
    assert is_first(Slots(1), Slot("bob", 10), Slot("ann", SMALL))
    assert not is_first(Slots(1), Slot("bob", SMALL), Slot("ann", 10))


def test_one_slot_is_for_small_files(busy: ExitStack) -> None:
    slots = Slots(3)
    busy.enter_context(slots.use(Slot("ann", SMALL + 1), full))
    busy.enter_context(slots.use(Slot("bob", SMALL + 1), full))
    assert waits(slots, Slot("cat", SMALL + 1))
    assert not waits(slots, Slot("cat", SMALL))
    assert not waits(Slots(1), Slot("ann", SMALL + 1))


def test_a_user_reads_one_file_at_a_time(busy: ExitStack) -> None:
    slots = Slots(3)
    busy.enter_context(slots.use(Slot("ann"), full))
    assert waits(slots, Slot("ann"))
    assert not waits(slots, Slot("bob"))


def test_a_process_without_a_call_ends_for_another_file_the_oldest_first() -> None:
    clock = Clock()
    slots = Slots(2, clock)
    older = start(slots, Slot("ann"))
    process = older.process
    clock.now += 1
    newer = start(slots, Slot("bob"))
    clock.now += KEPT_SECONDS
    start(slots, Slot("cat"))
    assert process.is_killed
    assert older.process is None
    assert not newer.process.is_killed


def test_a_process_is_kept_between_two_calls_of_a_page() -> None:
    clock = Clock()
    slots = Slots(1, clock)
    slot = start(slots, Slot("ann"))
    process = slot.process
    clock.now += KEPT_SECONDS / 2
    assert waits(slots, Slot("bob"))
    assert start(slots, slot).process is process
    assert not process.is_killed


def test_a_reader_that_is_gone_frees_its_slot() -> None:
    slots = Slots(1)
    start(slots, Slot("ann"))
    assert not waits(slots, Slot("bob"))


def test_a_closed_slot_is_free() -> None:
    slots = Slots(1)
    slot = start(slots, Slot("ann"))
    process = slot.process
    slot.close()
    assert process.is_killed
    assert not waits(slots, Slot("bob"))


def test_a_user_who_leaves_waits_no_more(busy: ExitStack) -> None:
    slots = Slots(1)
    busy.enter_context(slots.use(Slot("ann")))
    assert waits(slots, Slot("bob"))
    with pytest.raises(FullError) as error, slots.use(Slot("cat"), full):
        pass
    assert error.value.args == (1,)
