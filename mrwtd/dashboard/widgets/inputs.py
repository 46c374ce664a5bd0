"""Widgets bound to settings: each widget shows the value of a setting and changes it.

A name without a dot is a field of `Settings`. A name with a dot, such as "network.threshold", is a setting of one page.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from ...analysis.interpretation import format_parameter as parameter_text
from ...model.parameters import AUTO, Choice, Flag, Number, Parameter
from ..state import keys, session
from .formatting import decode_list, encode_list, escape_markdown, shorten, signed, unique_labels

SHORT = 10
"""Checkboxes with labels up to this length have the same width and form columns. Others are twice as wide."""

BUTTONS = partial(st.segmented_control, required=True)
STYLES: dict[str, Callable[..., Any]] = {
    "menu": st.selectbox,
    "buttons": BUTTONS,
    "tabs": BUTTONS,
    "slider": st.select_slider,
}
"""The looks of a choice. Tabs are buttons without a label."""


def choose(
    label: str,
    name: str,
    options: Sequence[str] | Mapping[str, str],
    *,
    default: str = "",
    help: str | None = None,
    style: str = "menu",
) -> str:
    """Choose one of several options, given as a list or with their labels. `style` is one of `STYLES`.

    Without a choice it is the default, or the first option if the default is not among them.
    """
    labels = _labels(options)
    key, value = keys.PICK + name, session.settings().get(name)
    if value not in labels:
        initial = default if default in labels else next(iter(labels))
        if value:
            _reject(name, str(value), labels[initial] if initial else "")
        value = initial
    shown: dict[str, Any] = {}
    if style == "slider" and st.session_state.get(key) == value:  # see `slider`
        shown["value"] = value
    else:
        st.session_state[key] = value
    # Options are listed newest first. Of equal labels the oldest stays bare, so that a new one changes no other.
    labels = dict(zip(reversed(labels), unique_labels(reversed(labels.values())), strict=True))
    if style != "menu":  # Streamlit renders Markdown in the options of all widgets except menus
        labels = {option: escape_markdown(text) for option, text in labels.items()}
    chosen = STYLES[style](
        label, list(options), format_func=labels.__getitem__, **shown, **_common(name, help, style != "tabs")
    )
    return value if chosen is None else str(chosen)


def choose_if_several(label: str, name: str, options: Sequence[str] | Mapping[str, str], *, help: str) -> str:
    """Choose one of several options. A single option needs no menu."""
    return choose(label, name, options, help=help) if len(options) > 1 else next(iter(options))


def _labels(options: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    return dict(options) if isinstance(options, Mapping) else {option: option for option in options}


def slider(
    label: str, name: str, low: float, high: float, step: float, default: float, *, help: str, percent: bool = False
) -> float:
    """Choose a number with a slider. Unlike those of `st.slider`, its labels have true minus signs."""
    key, kind, places = keys.PICK + name, type(step), 6 - math.floor(math.log10(step))
    low, high, default = (round(number, places) for number in (low, high, default))
    value = kind(round(_number(name, low, high, default), places))
    steps = np.arange(low, high + step / 2, step).tolist()
    options = sorted({kind(round(number, places) + 0) for number in (*steps, value)})
    # A value that is set here goes to the browser, and would undo a move made there meanwhile: set it only if needed.
    # Otherwise it is the default, for a browser that a click has interrupted before it had the value.
    shown: dict[str, Any] = {"value": value}
    if st.session_state.get(key) != value:
        st.session_state[key], shown = value, {}
    show = (lambda number: f"{100 * number:g}%") if percent else partial(signed, spec="")
    st.select_slider(label, options, format_func=show, **shown, **_common(name, help))
    return float(st.session_state[key])


def number_input(
    label: str, name: str, low: float, high: float, step: float, default: float, *, help: str | None = None
) -> float:
    """Type a number."""
    key, kind = keys.PICK + name, type(step)
    st.session_state[key] = kind(_number(name, low, high, default))
    st.number_input(label, kind(low), kind(high), step=step, **_common(name, help))
    return float(st.session_state[key])


def parameter_input(declared: Parameter, value: Any) -> None:
    """The widget for a method parameter with its current value."""
    if isinstance(declared, Choice):
        choose(declared.label, declared.key, declared.options, help=declared.help)
    elif isinstance(declared, Flag):
        toggle(declared.label, declared.key, default=value, help=declared.help)
    elif isinstance(declared, Number):
        if declared.automatic:
            _auto_toggle(declared, value)
        if declared.grid and value != AUTO:
            st.session_state[keys.PICK + declared.key] = float(value)
            grid = sorted({*declared.grid, float(value)})
            help_ = f"{declared.help}."
            st.select_slider(declared.label, grid, format_func=parameter_text, **_common(declared.key, help_))
        elif value != AUTO:
            (low, high), step = declared.bounds, 1 if declared.whole else 0.01
            number_input(declared.label, declared.key, low, high, step, value, help=declared.help)


def _auto_toggle(declared: Number, value: float | str) -> None:
    """A toggle between "auto" and a number: 1, or the default of the data."""
    switch, number = f"{keys.PICK}{declared.key}-auto", None if declared.optional else 1.0
    st.session_state[switch] = value == AUTO
    st.toggle(
        f"Automatic {declared.short}",
        key=switch,
        on_change=lambda: session.change(**{declared.key: AUTO if st.session_state[switch] else number}),
    )


def toggle(label: str, name: str, *, default: bool = False, help: str | None = None) -> bool:
    """Switch a setting on or off."""
    key, value = keys.PICK + name, session.settings().get(name)
    if value is not None and str(value) not in (str(True), str(False)):
        _reject(name, str(value), "on" if default else "off")
    st.session_state[key] = default if value is None else str(value) == str(True)
    st.toggle(label, **_common(name, help))
    return bool(st.session_state[key])


def checkboxes(
    label: str, name: str, options: Sequence[str] | Mapping[str, str], default: Sequence[str], *, help: str
) -> list[str]:
    """Choose some of the options, at least one, with checkboxes."""
    text, labels = str(session.settings().get(name) or ""), _labels(options)
    names = decode_list(text)
    chosen = [option for option in names if option in labels]
    if len(chosen) < len(names):
        _reject(name, text, ", ".join(labels[option] for option in default))
    chosen = chosen or list(default)

    def flip(option: str) -> None:
        # In the order of the defaults, followed by what was added.
        wanted = {*chosen} ^ {option}
        if wanted:
            ordered = [name for name in dict.fromkeys((*default, *labels)) if name in wanted]
            session.change(**{name: "" if ordered == list(default) else encode_list(ordered)})

    st.markdown(f":small[{label}]", help=help)
    checkbox_row(name, labels, chosen, flip)
    return chosen


def checkbox_row(name: str, labels: Mapping[str, str], chosen: Sequence[str], on_change: Callable[[str], None]) -> None:
    """A row of checkboxes by their labels. `on_change` is called with the option that was changed."""
    width = 44 + 8 * max((len(label) for label in labels.values() if len(label) <= SHORT), default=SHORT)
    with st.container(horizontal=True, gap="xsmall"):
        for option, label in labels.items():
            key = f"{keys.PICK}{name}-{option}"
            st.session_state[key] = option in chosen
            st.checkbox(
                escape_markdown(label),
                key=key,
                on_change=on_change,
                args=(option,),
                width=width if len(label) <= SHORT else 2 * width,
            )


def text_input(label: str, name: str, *, help: str | None = None, placeholder: str = "") -> str:
    """Type a line of text."""
    key = keys.PICK + name
    st.session_state[key] = str(session.settings().get(name) or "")
    st.text_input(label, placeholder=placeholder, **_common(name, help))
    return str(st.session_state[key])


def _common(name: str, help: str | None, show_label: bool = True) -> dict[str, Any]:
    """The arguments that bind a Streamlit widget to a setting."""
    key = keys.PICK + name
    visibility = "visible" if show_label else "collapsed"
    return {"key": key, "help": help, "on_change": _save, "args": (name, key), "label_visibility": visibility}


def _number(name: str, low: float, high: float, default: float) -> float:
    """The number in a setting, or the default if it is missing or not possible."""
    text = session.settings().get(name)
    if text is None:
        return default
    with suppress(ValueError):
        if low <= (value := float(text)) <= high:
            return value
    _reject(name, str(text), f"{default:g}")
    return default


def _reject(name: str, value: str, instead: str) -> None:
    """Report a value that is not possible, and what is shown instead."""
    reason = f"is not possible here: {instead} is shown instead" if instead else "is not here"
    sentence = f"{name} = {shorten(value)} {reason}."
    if "." in name:  # delete the setting; the message at the top survives the rerun
        session.change(**{name: ""})
        session.add_message(sentence)
        st.rerun()
    st.caption(f":orange[{escape_markdown(sentence)}]")


def _save(name: str, key: str) -> None:
    value = st.session_state[key]
    if value is not None:
        session.change(**{name: str(value) if "." in name else value})
