"""What the lessons say. Every number comes from what was computed, and where a claim does not hold, they say that."""

from __future__ import annotations

import numpy as np

from .....data.relations import Relation
from .....model.losses import LOSSES
from .....plots.loss_curves import HIGH, LossCurve, curve
from .collective_demo import Fraction
from .image_completion import Completion
from .line_fit import MIDDLES, LineFit
from .product import Product
from .regularization_demo import LamPath

NEARLY = 0.02
"""Scores that differ by less are called equal."""

LITTLE = 0.05
"""Moves of a line that differ by less cannot be told apart in the drawing."""


def of_product(product: Product, relation: Relation) -> str:
    """What the model says of a pair, and what is known of it.

    >>> import mrwtd
    >>> from .product import multiply
    >>> data = mrwtd.load_dataset("florentine")
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(data)
    >>> of_product(multiply(model, "marriage", "Medici", "Ridolfi", data), data.relations[1]).split(". ")[-1]
    'The training data has a tie here.'
    """
    binary = relation.kind == "binary"
    if binary:
        verdict = "a tie" if product.predicted > 0 else "no tie"
        sure = "" if np.isnan(product.probability) else f", with a probability of a tie of {product.probability:.0%}"
        said = f"x is {'above' if product.x >= 0 else 'below'} 0, so the model says **{verdict}**{sure}."
    else:
        said = f"φ turns x into **{product.predicted:.3g}**, in the unit of the data."

    def told(value: float) -> str:
        return ("a tie" if value > 0 else "no tie") if binary else f"{value:.3g}"

    if product.trained is not None:
        known = f"The training data has {told(product.trained)} here."
    elif product.held is not None:
        known = f"The model has not seen this pair; the truth that was held out is {told(product.held)}."
    else:
        known = "Nobody knows the truth about this pair: it is in no part of the data."
    return f"{said} {known}"


def of_loss(name: str, own: LossCurve, at: float) -> str:
    """What a loss asks of x at one point, and how hard it can pull.

    >>> of_loss("quadratic", curve("quadratic"), at=1.0).split(":")[0]
    'The loss is 0.00 and its slope +0.00'
    """
    value, slope = (float(np.interp(at, own.x, values)) for values in (own.value, own.slope))
    if abs(slope) < 0.005:
        pull = "this entry is content with x, and pulls no more"
    else:
        pull = f"this entry pulls x {'up' if slope < 0 else 'down'}, with a force of {abs(slope):.2f}"
    near, far = (np.abs(curve(name, own.kind, own.y, x=[-reach, reach]).slope) for reach in (15.0, 30.0))
    sides = [side for side, grows in (("low", far[0] > 1.5 * near[0]), ("high", far[1] > 1.5 * near[1])) if grows]
    if len(sides) == 2:
        most = "The force grows without bound as x goes away from y: a single odd entry can rule a fit."
    elif sides:
        other, bound = ("high", far[1]) if sides[0] == "low" else ("low", far[0])
        most = f"The force is at most {bound:.2g} for {other} x, and grows without bound for {sides[0]} x."
    else:
        most = f"However wrong x is, the force is never above {max(far.max(), np.abs(own.slope).max()):.2g}."
    sure = f" {_when_sure(name, own)}" if own.kind == "binary" else ""
    return f"The loss is {value:.2f} and its slope {_two(slope, '+')}: {pull}. {most}{sure}"


def _when_sure(name: str, own: LossCurve) -> str:
    """What the loss does to an answer that is right and sure, and which other losses do otherwise."""
    x = own.y * HIGH

    def pull_back(other: str) -> float:
        return float(curve(other, own.kind, own.y, x=[x]).slope[0]) * own.y

    where, force = f"At x = {x:+g}, sure and right,".replace("-", "−"), pull_back(name)
    if force > 0.005:
        return f"{where} it still pulls x back, with a force of {force:.2f}: it punishes an answer for being sure."
    others = {other: pull_back(other) for other, loss in LOSSES.items() if own.kind in loss.kinds}
    against = [f"{other} would (force {back:.2f})" for other, back in others.items() if back > 0.005]
    return f"{where} it does not pull x back{', as ' + ' and '.join(against) if against else ''}."


def of_lines(kind: str, fits: dict[str, LineFit], chosen: str) -> str:
    """How far the odd point moves the fit of the chosen loss, and which losses it moves least and most.

    >>> from .line_fit import fit_lines
    >>> of_lines("real", fit_lines("real", odd=-8.0), "huber").split(". ")[-1]
    'It moves huber least (0.40) and quadratic most (1.21).'
    """
    own = fits[chosen]
    if kind not in MIDDLES:
        first = (
            f"With {chosen} the odd point moves the prediction by {own.moved:.2f}: the root mean square over the range "
            "of the points."
        )
    elif np.isnan(own.place):
        first = f"With the odd point, {chosen} predicts the same everywhere that is drawn."
    elif own.moved < 0.005:
        first = f"With {chosen} the odd point does not move the place where the prediction changes: {_two(own.place)}."
    else:
        first = (
            f"With {chosen} the odd point moves the place where the prediction changes from {_two(own.place_without)} "
            f"to {_two(own.place)}, by {own.moved:.2f}."
        )
    gone = [name for name, fit in fits.items() if np.isnan(fit.moved) and name != chosen]
    if gone:
        first += f" With {' and '.join(gone)} the prediction no longer changes in this range."
    sizes = {name: fit.moved for name, fit in fits.items() if not np.isnan(fit.moved)}
    if len(sizes) < 2:
        return first
    least, most = min(sizes.values()), max(sizes.values())
    if most - least < max(LITTLE, 0.1 * most):
        return f"{first} The losses differ little here: {least:.2f} to {most:.2f}. Move the point."
    # Those that are as good as equal share the place: a rank that no digit shows would be chance.
    ends = [" and ".join(name for name, size in sizes.items() if _two(size) == _two(end)) for end in (least, most)]
    return f"{first} It moves {ends[0]} least ({least:.2f}) and {ends[1]} most ({most:.2f})."


def of_picture(found: Completion) -> str:
    """Which way of filling in is nearer to the truth, and by how much.

    >>> from .image_completion import complete
    >>> of_picture(complete(0.5)).split(",")[0]
    'With 50% of the pixels known'
    """
    share, error, ink = float(found.known.mean()), found.errors, found.ink
    both = (
        f"With {share:.0%} of the pixels known, *missing as missing* is off by **{error['missing']:.2f}** on the "
        f"hidden pixels and *missing as zero* by **{error['zero']:.2f}**"
    )
    if error["missing"] >= error["zero"]:
        return (
            f"{both}: so little is known that leaving the rest out does **not** help. Guessing the mean of the known "
            f"pixels everywhere is off by {error['mean']:.2f}. Let more be known."
        )
    mean = (
        f" Even so, guessing the mean of the known pixels is better still ({error['mean']:.2f})."
        if error["mean"] <= error["missing"]
        else ""
    )
    return (
        f"{both}, {error['zero'] / error['missing']:.1f} times as much. Hidden ink should come out as 1: it does as "
        f"{ink['missing']:.2f}, and as {ink['zero']:.2f} where zeros pull it towards paper.{mean}"
    )


def of_fraction(found: Fraction, relation: str, others: int) -> str:
    """What the other relations are worth at one share of training entries.

    >>> of_fraction(Fraction(0.2, np.full(3, 0.3), np.full(3, 0.5), 0.1, {}), "work", 4).split(". ")[1]
    'The others are worth +0.20, more than the splits differ (0.00).'
    """
    alone, together = float(found.alone.mean()), float(found.together.mean())
    gain, noise = together - alone, float(max(found.alone.std(), found.together.std()))
    first = (
        f"With {found.fraction:.0%} of the entries to learn from, *{relation}* alone reaches an average precision of "
        f"**{alone:.2f}** on held-out pairs, and **{together:.2f}** together with {others} other relations; chance is "
        f"{found.chance:.2f}."
    )
    if gain > max(noise, NEARLY):
        return f"{first} The others are worth {gain:+.2f}, more than the splits differ ({noise:.2f})."
    if gain < -max(noise, NEARLY):
        return f"{first} Here the others do **harm**: {gain:+.2f}, more than the splits differ ({noise:.2f})."
    return f"{first} The difference, {gain:+.2f}, is **not** clear: the splits differ by as much ({noise:.2f})."


def of_shrinking(found: list[Fraction]) -> str:
    """The whole curve in one sentence.

    >>> of_shrinking([Fraction(0.2, np.full(3, 0.3), np.full(3, 0.5), 0.1, {})])
    'Together is ahead at 1 of 1 shares, most at 20% (+0.20).'
    """
    gains = [float(one.together.mean() - one.alone.mean()) for one in found]
    ahead, best = sum(gain > 0 for gain in gains), int(np.argmax(gains))
    where = f", most at {found[best].fraction:.0%} ({gains[best]:+.2f})" if ahead else ""
    return f"Together is ahead at {ahead} of {len(found)} shares{where}."


def of_lam(path: LamPath, row: int) -> str:
    """What one λ does.

    >>> import mrwtd
    >>> from .regularization_demo import along
    >>> path = next(along(mrwtd.load_dataset("florentine"), lams=(0.1, 1.0, 100.0)))
    >>> of_lam(path, 2).split(" At")[0]
    '**Collapse.**'
    """
    frame = path.frame
    lam, train, held = (float(frame[name].iloc[row]) for name in ("lam", "train", "held_out"))
    best = path.best
    top = float(frame["held_out"].max())
    if bool(frame["collapsed"].iloc[row]):
        return (
            f"**Collapse.** At λ = {lam:g} every factor is zero, as keeping any costs more than it explains. All pairs "
            f"of a relation get the same prediction: the held-out score is {held:.2f}, and chance is {path.chance:.2f}."
        )
    said = f"Training pairs are ranked with an average precision of {train:.2f}, held-out ones with **{held:.2f}**."
    if held >= top - NEARLY:
        return f"{said} **About right**: the best held-out score is {top:.2f}, at λ = {best:g}."
    if lam < best:
        free = "**Too free**: much of what is learned holds for the training pairs alone."
        return f"{said} {free} λ = {best:g} would reach {top:.2f}."
    return f"{said} **Too tight**: both fall, as factors are pressed to zero. λ = {best:g} would reach {top:.2f}."


def _two(value: float, sign: str = "") -> str:
    """Two decimals, and no minus before zero."""
    return f"{round(value, 2) + 0.0:{sign}.2f}"
