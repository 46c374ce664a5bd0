"""Fixed texts of the Learn page: titles, labels, help, captions, introductions and questions.

Sentences about computed numbers are in `learn_sentences`.
"""

from .demos import collective_demo, image_completion, regularization_demo

LESSON_TITLES = {
    "decomposition": "1 Decomposition",
    "losses": "2 Loss functions",
    "weights": "3 Missing data",
    "collective": "4 Collective learning",
    "regularisation": "5 Regularization",
    "reveal": "6 Quiz",
}

LESSON_HELP = "Each lesson takes about five minutes and can be read on its own."
LOSS_HELP = "All losses of the model."
KIND_HELP = "The kind of values y."
Y_HELP = "The value that the score x should explain."
X_HELP = "The model's score for this entry."
OUTLIER_HELP = "Move the outlier."
KNOWN_HELP = "They are chosen at random."
RELATION_HELP = "Its held-out pairs are ranked by both models."
FRACTION_HELP = "The rest is held out. Both models get the same entries of this relation."
LAM_HELP = "All fits are computed in advance, each from the one at the previous λ."
TOPIC_HELP = "The first is about single ties, the others about results of the previous lessons."
QUIZ_RELATION_HELP = "The questions are about its held-out pairs."
GUESS_HELP = "From 0 to 1. Move the slider to make a guess."

TRY_IT = {
    "decomposition": "see what the factors of *{data}* mean, with one small table per relation.",
    "losses": "train *{data}* with the loss **{loss}** for {relations}.",
    "weights": "train *{data}* with MrWTD-Q, which leaves unknown pairs out, and with RESCAL, which treats them as "
    "zero, and compare the scores.",
    "collective": "train *{data}* with this training fraction, using MrWTD, which learns all relations together, and "
    "MMMF, which learns each relation alone.",
    "regularisation": "train *{data}* with this λ instead of the one that a search finds.",
    "reveal": "choose two objects of *{data}* and see what the model predicts, how sure it is, and why.",
}

NO_SUCH_RELATION = "*{data}* has no relation of this kind. The Train page shows the losses for its relations."

INTRODUCTIONS = {
    "decomposition": "Each object has a row of *factors* in one table **A**, which all relations share. Each relation "
    "has a small table **R**, which says how strongly each factor of one object goes with each factor of the other, "
    r"and a bias **b**: $X_k \approx \varphi_k(A\,R_k\,A^{\top} + b_k)$. The function $\varphi_k$ turns the score $x$ "
    "into a value of the relation: into *tie* or *no tie*, or into a number.",
    "losses": "A *loss* measures how wrong a score **x** is when the true value is **y**. Its derivative is the force "
    "with which the entry pulls at x. Each kind of relation has its own losses. On the left they are curves; on the "
    "right, each of them fits a line to the same points, with an outlier that you can move.",
    "weights": "*Unknown* is not the same as *zero*. A fit can give known entries the weight **w** = 1 and others "
    "w = 0, which leaves them out. If we fill the gaps with zeros instead, the model learns that nothing is there.",
    "collective": "Here are {data.n_relations} relations among {data.n_objects} people of a university department. Of "
    "the pairs who have lunch together, {overlap:.0%} also work together, against {overall:.0%} of all pairs. What one "
    "relation says about a person can help to predict the others, because all relations share the table **A**.",
    "regularisation": "A model with many factors can memorize its training entries. **λ** is the price of "
    "large factors: the higher it is, the fewer factors are worth it, and if it is too high, none is.",
    "reveal": "Guess first, then look at the answer. Your guesses are stored only in the link of this page.",
}
"""The first sentences of each lesson."""

AVERAGE_PRECISION = "Average precision is the area under the precision–recall curve: 1 is perfect."

CAPTIONS = {
    "learn-sum": "“{f}, {g}” is factor {f} of {source}, times the number in row {f} and column {g} of R, times factor "
    "{g} of {target}: one term of the product.",
    "learn-picture": f"{image_completion.SIZE} × {image_completion.SIZE} pixels: 1 is ink, 0 is paper, grey is "
    f"unknown. Both fits have rank {image_completion.RANK}, λ = {image_completion.LAM:g} and the quadratic loss.",
    "learn-errors": "Root mean square error: 0 is perfect.",
    "tie-maps": "One row and one column per person, similar people next to each other; {shade} means a likelier tie.",
    "learn-collective": AVERAGE_PRECISION
    + f" Means and standard deviations over {collective_demo.SPLITS} splits, rank {collective_demo.RANK}. Each point "
    f"has the best λ of {', '.join(f'{lam:g}' for lam in collective_demo.LAMS)} for the held-out pairs, which is a "
    "little optimistic for both models.",
    "learn-lam": AVERAGE_PRECISION
    + f" Ties among {{data.n_objects}} people: {regularization_demo.TRAIN:.0%} of the pairs for training, rank "
    f"{regularization_demo.RANK}, means over {{path.splits}} splits. Size of the factors: root mean square of A.",
}
"""Captions by figure."""

FAILED = "This could not be computed. The server log has the reason."
COMPUTING = "The curve is being computed …"
FROM_RUN = "Numbers of {run}, **{name}**, method {method}."
SMALL_FIT = "This data set has no trained model yet. These are the numbers of a small fit to Florentine families."
ENSEMBLE = "The run averages {members} refits. This is its fit to all entries."
MORE_POINTS = " More points are coming …"
FITTING_FRACTIONS = "Fitting: {done} of {total} training fractions are done …"
FITTING_LAMBDAS = "Fitting at {total} values of λ …"

ALT = {
    "learn-entries": "The tables R, A transposed, A and X of {relation}, with the row of {source} and the column of "
    "{target} framed",
    "learn-losses": "Value and derivative of the loss {loss} against x, with a point at x = {x:g}",
    "learn-line": "Lines fitted to {points} points with each loss for this kind; the one of {loss} is bold",
    "learn-errors": "Root mean square error on hidden pixels against the fraction of known pixels, for both fits",
    "learn-picture": "Four images: the truth, the known pixels, and the predictions of the two fits",
    "learn-collective": "Average precision on held-out pairs against the training fraction: alone, together and chance",
    "learn-maps": "Adjacency matrices: the truth, and the probability of a tie by each model",
    "learn-lam-map": "Adjacency matrices: the truth, and the probability of a tie at this λ",
    "learn-lam": "Average precision of training and held-out pairs, and the size of the factors, against λ",
    "clues": "What is known about the two options",
    "answer": "{label} against {x}, with the answer and the guess",
}

X_CONTENT = {"known": "X: known values", "model": "X: scores of the model"}

KINDS = {"binary": "ties, ±1", "real": "real numbers", "count": "counts", "ordinal": "levels"}

LINE_AXES = {"binary": "x, and y = ±1", "real": "y", "count": "y", "ordinal": "level"}

OUTLIERS = {
    "binary": "Position u of one more tie",
    "real": "Value y of the last point",
    "count": "Count y of the last point",
    "ordinal": "Position u of one more point at the lowest level",
}

LINE_FORMULA = (
    "s is the slope of the line and c its intercept; for the ordinal loss, c are the cut points between levels. The "
    "last term keeps s finite if a line separates the ties without error. Values are centred and scaled before the fit "
    "if the loss does so in training."
)

LAMBDA_METRICS = {
    "loss": ("Mean training loss", "Mean over the training entries; 0 is a perfect fit.", 3),
    "train": ("Training score", "Average precision on the training pairs.", 2),
    "held_out": ("Held-out score", "Average precision on pairs that the model has not seen.", 2),
}

TOPICS = {"tie": "Who has the tie?", "zeros": "Missing as zero", "lam": "A large λ", "others": "Other relations"}

TIE_QUESTION = "{number}. Which of the two has a tie with {source} in {relation}?"

TIE_OPTIONS = "One of them has a tie, the other has none. The model has not seen either pair."

CLUES = "What the training data says about **{source}** and the two options:"

CLUE_COLUMNS = {
    "option": ("option", "One of the two options has the tie"),
    "common": ("ties in common", "Objects with a known tie to both, in this relation"),
    "also": ("also tied in", "Other relations in which the two have a known tie"),
    "ties": ("known ties", "Number of objects with a known tie to the option, in this relation"),
}

NO_HELD_OUT_TIES = "Your run has no held-out ties. The questions are about Florentine families."

MODEL_ANSWER = "The model predicts **{option}**, which is {verdict}: the scores x are {high} and {low}."

NO_SCORE = "After your first guess, your score and the model's are shown here."

SCORE_HELP = {
    "You": "A random guess is right half of the time.",
    "The model": "It chooses the option with the higher score x.",
}

QUESTION_PENDING = "The answer is being computed. The question appears in a moment …"

CURVE_PENDING = "Make a guess and show the answer: its curve appears here."

ANSWER_CURVES = {
    "zeros": ("known pixels", "prediction for hidden ink", "missing as zero", "1 is ink, 0 is paper."),
    "lam": ("λ", "average precision", "held-out pairs", AVERAGE_PRECISION),
    "others": ("training fraction", "average precision", "all relations together", AVERAGE_PRECISION),
}
"""Axis titles and name of the curve with the answer, and its caption."""

ZEROS_QUESTION = (
    "A fit knows {known:.0%} of the pixels of an image and treats all others as zero, which is paper. What does it "
    "predict for hidden *ink* on average, from 0 (paper) to 1 (ink)?",
    "The other {unknown:.0%} of the values are zeros that nobody has observed, and each one pulls towards paper. If "
    "unknown pixels have weight 0, the prediction for hidden ink is {ink missing:.2f}.",
)

COLLAPSE_QUESTION = (
    "At λ = {best:g} the held-out average precision is {top:.2f}, the best of all λ. What is it at λ = {lam:g}, "
    "{times:.0f} times as large?",
    "At that λ all factors are zero, and pairs are ranked as by chance ({chance:.2f}).",
    "At that λ the factors have not all collapsed; chance would be {chance:.2f}.",
)

RELATIONS_QUESTION = (
    "Trained on {fraction:.0%} of its own entries, the relation *{relation}* has an average precision of {alone:.2f} "
    "(chance: {chance:.2f}). What is it for a model that also sees {fraction:.0%} of the other relations?",
    "The other relations add {gain}: they say something about the same people, through the shared table A.",
    "The other relations change it by {gain}: here they do not help.",
)
