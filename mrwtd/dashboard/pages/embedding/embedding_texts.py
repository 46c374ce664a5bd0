"""The texts of the Embedding page. Braces are filled in by `str.format`."""

# Shared by sections
NO_FACTORS = "No method of this run has factors to show."
VIEW_HELP = "The objects, how their factors combine, the methods side by side, and a replay of the training."
RELATION_HELP = "Degree, error and predictions are for this relation."
COLOUR_HELP = "An attribute, the degree in the relation, the held-out error, or k-means clusters of the factors."

# Map
PROJECTIONS = {
    "PCA": "Principal axes: the directions in which objects differ most. Distances are exact, except along other axes.",
    "t-SNE": "Keeps neighbours together. Near points are similar; the distance between groups means little.",
    "MDS": "Multidimensional scaling: keeps all distances between objects as well as possible.",
}
PROJECTION_HELP = f"How factors become points. {' '.join(PROJECTIONS.values())}"
SIZE_HELP = "The larger the degree of an object, the larger its point."
NAMES_HELP = "Write the name beside each point."
DIMENSIONS_HELP = "In three dimensions, the map can be turned with the mouse. In two, points and groups can be picked."
PERPLEXITY_HELP = "Roughly the number of neighbours that stay close to each object."
PROJECTION_SAVED = "The result is saved. Its parameters are under Options."
OBJECTS_BETWEEN = " The other {rest:,} are placed between their nearest neighbours."
MAP_CAPTION = "Points close together have similar factors."
PICK = {"one": "Click a point.", "group": "Draw around some points."}
TURN = "Turn the map with the mouse; find an object on the right."
SAME_FACTORS = " All objects have the same factors: the model learned nothing about them. Try a smaller λ."
CLUSTERS = " {count} clusters have the best silhouette, {silhouette:.2f} (1: far apart, 0: no gaps)."
SEVERAL_MATCHES = "{count} names match: {names}. Type more letters."
# No formula here: browsers take longer to draw one than all points of the map.
INTRODUCTION = (
    "Each of the {n:,} objects is a row of **A**: {rank} numbers, its factors. The factors of two objects predict how "
    "they relate, in every relation.\n\n"
    "- **Pick one**: click a point to see its factors, neighbours and strongest predictions.\n"
    "- **Pick a group**: draw around some points to see what they have in common, and to show them as a network.\n"
    "- **Near the centre** are objects about which the model has learned little."
)

# Panel of an object or a group
DISTANCE_HELP = "Distance between the rows of A; 0 is identical. It has no unit"
TIE_HELP = "The predicted probability of a tie"
VALUE_HELP = "In the unit of the data"
NETWORK_HELP = "Show these objects and their ties as a network"
NOTHING_DISTINGUISHES = "Nothing known about them sets them apart."

# Factors
CELLS_CAPTION = "Each row is a factor of the source, each column one of the target."
NO_CELLS = "Nothing: every cell is 0, so the prediction is the bias alone."
CELLS_EXPLANATION = (
    "A prediction is $x_{ij} = \\sum_{fg} p_{if} R_{fg} p_{jg} + b$, where $p_i$ are the factors of i on principal "
    "axes. Blue cells raise it for objects on the same side of both factors, orange cells for objects on opposite "
    "sides. The colour is $R_{fg}$ times the typical size of both factors, so cells can be compared."
)
MAPS_CAPTION = "Relations with similar maps follow the same pattern and gain from being learned together."

# Methods
ONE_METHOD = "Only one method of this run has factors."
METHODS_POINTS = "Upper figures: the objects on the principal axes of each method, oriented like those of the first."
METHODS_CELLS = (
    "Lower figures: how the factors combine in {relation}. Blue raises the prediction for objects on the same side of "
    "both factors, orange for those on opposite sides; each method has its own scale."
)
TWO_SIDED = " {methods}: twice the rank, because objects have different factors as source and as target."

# Replay
REPLAY_CAPTION = (
    "Press ▶ to watch the fit, or move the slider. Snapshots are on the principal axes of the last one. Dotted: the "
    "final curve; orange: the current objective. Score: {score} of {entries} entries."
)
NO_SNAPSHOTS = "This training has no snapshots."
REPLAY_METHOD_HELP = "The methods of this run with snapshots of their training."
