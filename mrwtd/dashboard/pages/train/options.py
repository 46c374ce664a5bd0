"""The options of a training: rank (with a suggestion), λ, split, methods and more, and the button that starts it."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from ....analysis import rank_choice
from ....analysis.rank_choice import RankChoice
from ....baselines import METHODS
from ....data.published import PUBLISHED
from ....data.published_training import describe_published
from ....errors import DataError
from ....model.parameters import AUTO
from ....plots.training_progress import rank_figure
from ....runs import SplitSpec
from ...jobs import Job, estimates, job_status
from ...jobs.remote_work import in_process
from ...jobs.training import parameters, score_description
from ...shell import page
from ...state import current_user, keys, session, user_datasets
from ...state.settings import PARAMETERS, TRAIN, Settings
from ...widgets import figures, inputs, obstacles_panel
from ...widgets.formatting import escape_markdown, format_bytes, format_duration
from ...widgets.lazy_expander import lazy_expander
from . import train_texts as texts


def render(settings: Settings) -> None:
    """Draw the options and the button."""
    data = user_datasets.load(settings.data)
    settings = settings.resolved(data)
    left, right = st.columns(2)
    with left:
        inputs.parameter_input(PARAMETERS["rank"], settings.rank)
        if settings.rank == AUTO:
            st.caption(texts.rank_search(settings.methods, data))
        _split_inputs(settings)
    with right:
        inputs.parameter_input(PARAMETERS["lam"], settings.lam)
        if settings.lam == AUTO:
            st.caption(texts.LAM_SEARCH)
    with lazy_expander("Methods to compare", "methods") as is_open:
        if is_open:
            inputs.checkbox_row("methods", {name: name for name in METHODS}, settings.methods, _toggle_method)
            st.caption(texts.METHODS_CAPTION)
    more = [parameter for key, parameter in PARAMETERS.items() if key not in ("rank", "lam")]
    labels = ", ".join(parameter.label.lower() for parameter in more)
    has_published = user_datasets.choices(settings.data).published  # then the hold-out is chosen above
    with lazy_expander(f"More: {'' if has_published else 'hold-out, '}{labels}", "more") as is_open:
        if is_open:
            if not has_published:
                inputs.choose("Hold out", "by", texts.HOLD_OUTS, help=texts.HOLD_OUT_HELP)
            columns = st.columns(3)
            for number, parameter in enumerate(more):
                with columns[number % 3]:
                    inputs.parameter_input(parameter, settings.get(parameter.key))
    _train_button(settings)


def _split_inputs(settings: Settings) -> None:
    """Draw the training fraction or, for data with a published split, the choice of that split."""
    if user_datasets.choices(settings.data).published:
        inputs.choose("Split", "by", texts.SPLITS, help=texts.SPLIT_HELP)
        if settings.by == PUBLISHED and settings.train < 1:
            st.caption(describe_published(user_datasets.load(settings.data)))
            return
    inputs.slider(
        "Training fraction", "train", *TRAIN.bounds, 0.01, settings.train, percent=True, help=texts.TRAIN_HELP
    )
    if settings.train == 1:
        st.caption(texts.ALL_FOR_TRAINING)


def _toggle_method(name: str) -> None:
    settings = session.settings()  # not those when the page was drawn: others may have changed
    data = user_datasets.load(settings.data)
    chosen = {*settings.resolved(data).methods} ^ {name}
    if chosen:
        changed = settings.change(methods=tuple(method for method in METHODS if method in chosen))
        session.change(methods=changed.with_default_methods(data).methods)


def _train_button(settings: Settings) -> None:
    obstacles_panel.render(settings)
    needs = estimates.estimate(settings, user_datasets.load(settings.data))
    busy = job_status.active_job(subject=settings.data) is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Train", type="primary", icon=":material/bolt:", shortcut="Ctrl+Enter", disabled=busy, on_click=_train
        )
        cost = f"about {format_duration(needs.seconds)}, {format_bytes(needs.memory)} of memory"
        st.caption(f"{escape_markdown(', '.join(settings.methods))}: {cost}.", help=texts.ESTIMATE_HELP)
    if (error := st.session_state.pop(keys.NOT_SUBMITTED, None)) is not None:
        page.show_data_error(error)  # the rest of the page is drawn as usual


def _train() -> None:
    """Submit a training before the page is drawn, so that it is drawn only once."""
    try:
        job_status.submit_training(session.settings())
    except DataError as error:
        st.session_state[keys.NOT_SUBMITTED] = error


def suggest_rank(settings: Settings) -> None:
    """Draw the button that tries ranks, or the held-out score against the rank."""
    key = repr([(name, value) for name, value in settings.request().items() if name not in ("rank", "methods")])
    choices: dict[str, RankChoice] = st.session_state.setdefault(keys.RANK_CHOICES, {})
    if settings.rank == AUTO:
        return  # the training makes the same search
    if key in choices:
        _rank_figure(settings, choices[key])
    elif job_status.active_job("rank") is not None:
        st.caption(texts.TRYING_RANKS)
    elif st.button("Suggest a rank", icon=":material/timeline:"):
        searched = settings.change(methods=("MrWTD",), rank=AUTO)
        needs = estimates.check(searched, user_datasets.load(settings.data))
        work = in_process(_try_ranks(settings, key))
        current_user.queue().submit(current_user.user_id(), "Trying ranks", work, kind="rank", seconds=needs.seconds)
        st.rerun()


def _rank_figure(settings: Settings, choice: RankChoice) -> None:
    data, best, path = user_datasets.load(settings.data), choice.rank, choice.path
    caption = texts.RANK_CAPTION.format(best, score_description(data))
    figures.show(
        rank_figure(path, best, dark=figures.dark()), "ranks", alt="Held-out score against the rank", data=path,
        caption=caption,
    )  # fmt: skip
    if best != settings.with_rank(data.n_objects).rank:
        st.button(f"Use rank {best}", on_click=session.change, kwargs={"rank": best})


def _try_ranks(settings: Settings, key: str) -> Callable[[Job], Any]:
    data = user_datasets.load(settings.data)

    def work(job: Job) -> tuple[str, RankChoice | None]:
        split = SplitSpec(settings.train, settings.seed, settings.by)
        train = split.fitted_entries(data, split.parts(data)[0])
        chosen = parameters("MrWTD", settings, data)
        return key, rank_choice.suggest_rank(train, progress=job.report, **chosen)

    return work
