"""Widgets that show a setting and change it: the settings are the truth, and a widget is a view of one of them.

A name without a dot is a field of the settings; one with a dot, such as "network.threshold", is a page's own choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ...analysis.interpretation import format_parameter as parameter_text
from ...model.parameters import AUTO, Choice, Flag, Number, Parameter
from ..state import keys, session
from .formatting import decode_list, encode_list, escape_markdown, unique_labels

SHORT = 10
"""Tick boxes of words no longer than this share their width, so that they stand in columns; others take two."""


def choose(
    label: str,
    name: str,
    options: Sequence[str],
    *,
    index: int = 0,
    format_func: Callable[[str], str] = str,
    help: str | None = None,
    style: str = "menu",
    show_label: bool = True,
) -> str:
    """One of several options, and what is chosen now. Until something is, that is option `begin`.

    `style` is "menu", "buttons", "radio" or "slider".
    """
    key, now = keys.PICK + name, session.settings().get(name)
    if now not in options:
        if now:
            _refuse(name, str(now), format_func(options[index]) if options[index] else "")
        now = options[index]
    if style != "slider" or st.session_state.get(key) != now:  # see `slider`: a slider may have moved on meanwhile
        st.session_state[key] = now
    # The newest stand first: of one name, the oldest has it alone, and a new one changes no other's.
    labels = dict(zip(options[::-1], unique_labels([format_func(option) for option in options[::-1]]), strict=True))
    if style != "menu":  # whose options are the only ones that Streamlit shows as they are
        labels = {option: escape_markdown(text) for option, text in labels.items()}
    common: dict[str, Any] = {
        "key": key, "format_func": labels.__getitem__, "help": help, "on_change": _take, "args": (name, key),
        "label_visibility": "visible" if show_label else "collapsed",
    }  # fmt: skip
    if style == "buttons":
        chosen = st.segmented_control(label, options, required=True, **common)
    elif style == "radio":
        chosen = st.radio(label, options, horizontal=True, **common)
    elif style == "slider":
        chosen = st.select_slider(label, options, **common)
    else:
        chosen = st.selectbox(label, options, **common)
    return now if chosen is None else str(chosen)


def slider(
    label: str,
    name: str,
    low: float,
    high: float,
    step: float,
    default: float,
    *,
    help: str | None = None,
    format: str | None = None,
    show_label: bool = True,
) -> float:
    """A number on a slider. Until it is moved, that is `begin`."""
    key, span_key, span = keys.PICK + name, keys.SPAN + name, (low, high, step)
    value = type(step)(_number(name, low, high, default))
    # Only where it has to be: a value that is set goes to the browser, and would undo what was moved there meanwhile.
    # To Streamlit a slider with another range is a new one, which would start at its minimum.
    if st.session_state.get(key) != value or st.session_state.get(span_key) != span:
        st.session_state[key], st.session_state[span_key] = value, span
    st.slider(
        label, type(step)(low), type(step)(high), step=step, key=key, help=help, format=format,
        on_change=_take, args=(name, key), label_visibility="visible" if show_label else "collapsed",
    )  # fmt: skip
    return float(st.session_state[key])


def number_input(
    label: str, name: str, low: float, high: float, step: float, default: float, *, help: str | None = None
) -> float:
    """A number that is typed. Until it is, that is `begin`."""
    key, now = keys.PICK + name, _number(name, low, high, default)
    st.session_state[key] = type(step)(now)
    st.number_input(
        label, type(step)(low), type(step)(high), step=step, key=key, help=help, on_change=_take, args=(name, key)
    )
    return float(st.session_state[key])


def parameter_input(declared: Parameter, now: Any) -> None:
    """The widget of a parameter of a method, which has the value `now`."""
    if isinstance(declared, Choice):
        choose(declared.label, declared.key, list(declared.options), format_func=declared.options.__getitem__,
               help=declared.help)  # fmt: skip
    elif isinstance(declared, Flag):
        toggle(declared.label, declared.key, default=now, help=declared.help)
    elif isinstance(declared, Number) and declared.automatic:
        _automatic(declared, now)
    elif isinstance(declared, Number):
        low, high = declared.bounds
        number_input(declared.label, declared.key, low, high, 1 if declared.whole else 0.01, now, help=declared.help)


def _automatic(declared: Number, now: float | str) -> None:
    """A switch between "auto" and a value of the grid."""
    switch = f"{keys.PICK}{declared.key}-auto"
    st.session_state[switch] = now == AUTO
    st.toggle(
        f"{declared.short} automatic",
        key=switch,
        on_change=lambda: session.change(**{declared.key: AUTO if st.session_state[switch] else 1.0}),
    )
    if now == AUTO:
        return
    key = keys.PICK + declared.key
    st.session_state[key] = float(now)
    st.select_slider(
        declared.label, sorted({*declared.grid, float(now)}), key=key, format_func=parameter_text,
        on_change=lambda: session.change(**{declared.key: st.session_state[key]}), help=f"{declared.help}.",
    )  # fmt: skip


def toggle(label: str, name: str, *, default: bool = False, help: str | None = None) -> bool:
    """A switch."""
    key, now = keys.PICK + name, session.settings().get(name)
    if now is not None and str(now) not in (str(True), str(False)):
        _refuse(name, str(now), "on" if default else "off")
    st.session_state[key] = default if now is None else str(now) == str(True)
    st.toggle(label, key=key, help=help, on_change=_take, args=(name, key))
    return bool(st.session_state[key])


def checkboxes(
    label: str,
    name: str,
    options: Sequence[str],
    default: Sequence[str],
    *,
    format_func: Callable[[str], str] = str,
    help: str | None = None,
) -> list[str]:
    """Some of several options, by tick boxes: those of `begin` until one is changed, and always at least one."""
    said = session.settings().get(name)
    now = [one for one in decode_list(str(said)) if one in options] if said else []
    if said and len(now) < len(decode_list(str(said))):
        _refuse(name, str(said), ", ".join(format_func(one) for one in default))
    now = now or list(default)

    def take(option: str) -> None:
        # The order is that of `begin`, and what is added comes after it.
        wanted = {*now} ^ {option}
        if wanted:
            ordered = dict.fromkeys(one for one in (*default, *options) if one in wanted)
            session.change(**{name: "" if list(ordered) == list(default) else encode_list(ordered)})

    st.markdown(f":small[{label}]", help=help)
    checkbox_row(name, options, now, take, format_func=format_func)
    return now


def checkbox_row(
    name: str,
    options: Sequence[str],
    now: Sequence[str],
    take: Callable[[str], None],
    *,
    format_func: Callable[[str], str] = str,
) -> None:
    """Tick boxes for options, those of `now` ticked; `take` is called with the one that is changed."""
    wide = 44 + 8 * max((len(format_func(one)) for one in options if len(format_func(one)) <= SHORT), default=SHORT)
    with st.container(horizontal=True, gap="xsmall"):
        for option in options:
            key = f"{keys.PICK}{name}-{option}"
            st.session_state[key] = option in now
            st.checkbox(
                escape_markdown(format_func(option)),
                key=key,
                on_change=take,
                args=(option,),
                width=wide if len(format_func(option)) <= SHORT else 2 * wide,
            )


def text_input(
    label: str, name: str, *, help: str | None = None, placeholder: str = "", show_label: bool = True
) -> str:
    """A line of text."""
    key = keys.PICK + name
    st.session_state[key] = str(session.settings().get(name) or "")
    st.text_input(
        label, key=key, help=help, placeholder=placeholder, on_change=_take, args=(name, key),
        label_visibility="visible" if show_label else "collapsed",
    )  # fmt: skip
    return str(st.session_state[key])


def _number(name: str, low: float, high: float, begin: float) -> float:
    now = session.settings().get(name)
    if now is None:
        return begin
    try:
        value = float(now)
    except ValueError:
        value = float("nan")
    if low <= value <= high:
        return value
    _refuse(name, str(now), f"{begin:g}")
    return begin


def _refuse(name: str, now: str, instead: str) -> None:
    shown = now if len(now) <= 60 else now[:59] + "…"
    rather = f"is not possible here: {instead} is shown instead" if instead else "is not here"
    said = f"{name} = {shown} {rather}."
    if "." in name:  # a page's own choice: it is forgotten, and told on top, where it outlives the next drawing
        session.change(**{name: ""})
        session.add_message(said)
        st.rerun()
    st.caption(f":orange[{escape_markdown(said)}]")


def _take(name: str, key: str) -> None:
    value = st.session_state[key]
    if value is not None:
        session.change(**{name: str(value) if "." in name else value})
