"""Sentences of the lessons about computed numbers. They report claims of a lesson that do not hold."""

import numpy as np

from ....data.relations import Relation
from ....model.losses import LOSSES
from ....plots.loss_curves import HIGH, LossCurve, curve
from ...widgets.formatting import signed
from .demos.collective_demo import Fraction
from .demos.image_completion import Completion
from .demos.line_fit import MIDDLES, LineFit
from .demos.product import Product
from .demos.regularization_demo import LambdaPath

SIMILAR = 0.02
"""Scores that differ by less are called equal."""

SMALL_MOVE = 0.05
"""Moves of a line that differ by less look the same in the figure."""


def tables_caption(shade: str, factors: tuple[int, int], objects: tuple[int, int]) -> str:
    """How to read the tables, and how many of the factors and objects they show.

    >>> tables_caption("dark", (3, 3), (10, 15)).split(". ")[-1]
    '10 of 15 objects are shown.'
    """
    caption = (
        f"Click an entry of X, or choose its row and column. In A and R, {shade} blue is far above 0 and orange far "
        "below."
    )
    if factors[0] < factors[1]:
        caption += f" The {factors[0]} of {factors[1]} factors with the largest terms are shown."
    return caption + (f" {objects[0]} of {objects[1]:,} objects are shown." if objects[0] < objects[1] else "")


def entry_tooltip(known: float, x: float, binary: bool) -> str:
    """What is known about an entry, and its score.

    >>> entry_tooltip(1.0, 0.5, binary=True)
    'known: a tie<br>score x = 0.50'
    """
    return f"known: {'nothing' if np.isnan(known) else _value(known, binary)}<br>score x = {signed(x)}"


def prediction_text(product: Product, relation: Relation) -> str:
    """The prediction for a pair, and what is known about it.

    >>> import mrwtd
    >>> from .demos.product import multiply
    >>> data = mrwtd.load_dataset("florentine")
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(data)
    >>> prediction_text(multiply(model, "marriage", "Medici", "Ridolfi", data), data.relations[1]).split(". ")[-1]
    'The training data has a tie here.'
    """
    binary = relation.kind == "binary"
    if binary:
        sure = "" if np.isnan(product.probability) else f" (probability of a tie: {product.probability:.0%})"
        side = "above" if product.x >= 0 else "below"
        prediction = f"x is {side} 0, so the model predicts **{_value(product.predicted, binary)}**{sure}."
    else:
        prediction = f"φ turns x into **{product.predicted:.3g}**, in the unit of the data."
    if product.trained is not None:
        known = f"The training data has {_value(product.trained, binary)} here."
    elif product.held_out is not None:
        known = f"This pair was held out: the model has not seen that it is {_value(product.held_out, binary)}."
    else:
        known = "The true value is unknown: the data does not have this pair."
    return f"{prediction} {known}"


def _value(value: float, binary: bool) -> str:
    return ("a tie" if value > 0 else "no tie") if binary else f"{value:.3g}"


def loss_text(name: str, losses: LossCurve, x: float) -> str:
    """Value and slope of a loss at one point, and the largest force.

    >>> loss_text("quadratic", curve("quadratic"), x=1.0).split(":")[0]
    'The loss is 0.00 and its slope +0.00'
    """
    value, slope = (float(np.interp(x, losses.x, values)) for values in (losses.value, losses.slope))
    if abs(slope) < 0.005:
        pull = "this entry does not pull at x"
    else:
        pull = f"this entry pulls x {'up' if slope < 0 else 'down'}, with a force of {abs(slope):.2f}"
    near, far = (np.abs(curve(name, losses.kind, losses.y, x=[-reach, reach]).slope) for reach in (15.0, 30.0))
    sides = [side for side, grows in (("low", far[0] > 1.5 * near[0]), ("high", far[1] > 1.5 * near[1])) if grows]
    if len(sides) == 2:
        most = "The force grows without bound as x moves away from y: a single outlier can dominate a fit."
    elif sides:
        other, bound = ("high", far[1]) if sides[0] == "low" else ("low", far[0])
        most = f"The force is at most {bound:.2g} for {other} x, and grows without bound for {sides[0]} x."
    else:
        most = f"However wrong x is, the force is never above {max(far.max(), np.abs(losses.slope).max()):.2g}."
    sure = f" {_sure_text(name, losses)}" if losses.kind == "binary" else ""
    return f"The loss is {value:.2f} and its slope {signed(slope, '+z.2f')}: {pull}. {most}{sure}"


def _sure_text(name: str, losses: LossCurve) -> str:
    """What the loss does to a confident and correct score, and which other losses differ."""
    x = losses.y * HIGH

    def pull_back(other: str) -> float:
        return float(curve(other, losses.kind, losses.y, x=[x]).slope[0]) * losses.y

    position, force = f"At x = {signed(x, '+g')}, a confident and correct score,", pull_back(name)
    if force > 0.005:
        return f"{position} the loss still pulls x back, with a force of {force:.2f}: it punishes confidence."
    forces = {other: pull_back(other) for other, loss in LOSSES.items() if losses.kind in loss.kinds}
    others = [f"{other} would (force {back:.2f})" for other, back in forces.items() if back > 0.005]
    return f"{position} the loss does not pull x back{', while ' + ' and '.join(others) if others else ''}."


def outlier_text(kind: str, fits: dict[str, LineFit], chosen: str) -> str:
    """How far the outlier moves the fit of the chosen loss, and which losses it moves least and most.

    >>> from .demos.line_fit import fit_lines
    >>> outlier_text("real", fit_lines("real", outlier=-8.0), "huber").split(". ")[-1]
    'It moves huber least (0.40) and quadratic most (1.21).'
    """
    fit = fits[chosen]
    if kind not in MIDDLES:
        first = (
            f"With {chosen}, the outlier moves the prediction by {fit.moved:.2f} (root mean square over the range of "
            "the points)."
        )
    elif np.isnan(fit.crossing):
        first = f"With the outlier, {chosen} predicts the same everywhere in the figure."
    elif fit.moved < 0.005:
        first = f"With {chosen}, the prediction changes at u = {signed(fit.crossing)}, with or without the outlier."
    else:
        first = (
            f"With {chosen}, the outlier moves the position where the prediction changes from u = "
            f"{signed(fit.crossing_without)} to {signed(fit.crossing)}, by {fit.moved:.2f}."
        )
    constant = [name for name, fit in fits.items() if np.isnan(fit.moved) and name != chosen]
    if constant:
        first += f" With {' and '.join(constant)}, the prediction no longer changes in this range."
    moves = {name: fit.moved for name, fit in fits.items() if not np.isnan(fit.moved)}
    if len(moves) < 2:
        return first
    least, most = min(moves.values()), max(moves.values())
    if most - least < max(SMALL_MOVE, 0.1 * most):
        return f"{first} The losses differ little here: {least:.2f} to {most:.2f}. Move the point."
    # Losses that are equal to two digits share a place: a rank that no digit shows would be chance.
    ends = [" and ".join(name for name, move in moves.items() if signed(move) == signed(end)) for end in (least, most)]
    return f"{first} It moves {ends[0]} least ({least:.2f}) and {ends[1]} most ({most:.2f})."


def completion_text(completion: Completion) -> str:
    """Which completion is closer to the truth, and by how much.

    >>> from .demos.image_completion import complete
    >>> completion_text(complete(0.5)).split(",")[0]
    'With 50% of the pixels known'
    """
    errors, ink = completion.errors, completion.ink
    first = (
        f"With {completion.known.mean():.0%} of the pixels known, the error on the hidden pixels is "
        f"**{errors['missing']:.2f}** for *missing as missing* and **{errors['zero']:.2f}** for *missing as zero*"
    )
    if errors["missing"] >= errors["zero"]:
        return (
            f"{first}: so little is known that leaving out the rest does **not** help. Predicting the mean of the "
            f"known pixels everywhere has an error of {errors['mean']:.2f}. Move the slider to the right."
        )
    mean = ""
    if errors["mean"] <= errors["missing"]:
        mean = f" Even so, predicting the mean of the known pixels everywhere is better still ({errors['mean']:.2f})."
    return (
        f"{first}, {errors['zero'] / errors['missing']:.1f} times as much. Hidden ink should be 1: on average it is "
        f"predicted as {ink['missing']:.2f}, and as {ink['zero']:.2f} if zeros pull it towards paper.{mean}"
    )


def fraction_text(result: Fraction, relation: str, others: int) -> str:
    """What the other relations add at one training fraction.

    >>> fraction_text(Fraction(0.2, np.full(3, 0.3), np.full(3, 0.5), 0.1, {}), "work", 4).split(". ")[1]
    'The other relations add 0.20, more than the splits differ (0.00).'
    """
    alone, together = float(result.alone.mean()), float(result.together.mean())
    gain, noise = together - alone, float(max(result.alone.std(), result.together.std()))
    first = (
        f"Trained on {result.fraction:.0%} of the entries, *{relation}* alone has an average precision of "
        f"**{alone:.2f}** on held-out pairs, and **{together:.2f}** together with {others} other relations; chance is "
        f"{result.chance:.2f}."
    )
    if gain > max(noise, SIMILAR):
        return f"{first} The other relations add {gain:.2f}, more than the splits differ ({noise:.2f})."
    if gain < -max(noise, SIMILAR):
        harm = f"Here the other relations do **harm**: {signed(gain, '+z.2f')}"
        return f"{first} {harm}, more than the splits differ ({noise:.2f})."
    return (
        f"{first} The difference, {signed(gain, '+z.2f')}, is **not** clear: the splits differ as much ({noise:.2f})."
    )


def all_fractions_text(results: list[Fraction]) -> str:
    """A summary of all training fractions.

    >>> all_fractions_text([Fraction(0.2, np.full(3, 0.3), np.full(3, 0.5), 0.1, {})])
    'Together is better at 1 of 1 training fractions, most at 20% (+0.20).'
    """
    gains = [float(result.together.mean() - result.alone.mean()) for result in results]
    better, best = sum(gain > 0 for gain in gains), int(np.argmax(gains))
    most = f", most at {results[best].fraction:.0%} ({signed(gains[best], '+z.2f')})" if better else ""
    return f"Together is better at {better} of {len(results)} training fractions{most}."


def lambda_text(path: LambdaPath, row: int) -> str:
    """The effect of one λ.

    >>> import mrwtd
    >>> from .demos.regularization_demo import lambda_paths
    >>> path = next(lambda_paths(mrwtd.load_dataset("florentine"), lams=(0.1, 1.0, 100.0)))
    >>> lambda_text(path, 2).split(" At")[0]
    '**Collapse.**'
    """
    lam, train, held_out = (float(path.frame[name].iloc[row]) for name in ("lam", "train", "held_out"))
    best, top = path.best, float(path.frame["held_out"].max())
    if bool(path.frame["collapsed"].iloc[row]):
        return (
            f"**Collapse.** At λ = {lam:g} every factor is zero, because it would cost more than it explains. All "
            f"pairs of a relation get the same prediction: the held-out score is {held_out:.2f}, and chance is "
            f"{path.chance:.2f}."
        )
    scores = f"The average precision is {train:.2f} on training pairs and **{held_out:.2f}** on held-out pairs."
    if held_out >= top - SIMILAR:
        return f"{scores} **About right**: the best held-out score is {top:.2f}, at λ = {best:g}."
    if lam < best:
        reason = "**λ is too small**: much of what the model learns holds only for the training pairs."
    else:
        reason = "**λ is too large**: both scores fall, because the factors are pushed towards zero."
    return f"{scores} {reason} λ = {best:g} would reach {top:.2f}."


def verdict(guess: float, answer: float) -> str:
    """How close a guess is.

    >>> verdict(0.48, 0.5)
    'Very close: you said 0.48; it is 0.50.'
    """
    distance = abs(guess - answer)
    closeness = "Very close" if distance < 0.05 else "Close" if distance < 0.15 else "Not close"
    return f"{closeness}: you said {guess:.2f}; it is {answer:.2f}."
