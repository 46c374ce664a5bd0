"""The texts of the Experiments page."""

PAPER_DATA = "The paper's data"
THIS_DATA = "This data set"
SOURCE_HELP = "The data set in use, which the Data page changes, or the data sets of the paper with its numbers."
SIZE_HELP = "Quick takes a minute or two. Full is as in the paper, or with more methods and points, and can take hours."
RANK_HELP = "The number of hidden factors of all methods."
FRACTION_HELP = "The fraction of the entries to learn from. The others are test entries."
SPLITS_HELP = "The number of random splits for each point."
METHODS_HELP = "The methods to fit and compare."
AXIS_HELP = "The points along the horizontal axis."

SHORTER = "choose fewer splits or methods, and continue later"
SMALLER = "a smaller rank, or a part of the data"

RUNNING = "It continues while you visit other pages. The sidebar shows its progress."
OTHER_RUNNING = "Another experiment is running. This one can be run when it has ended."
PAPER_LABEL = "Show the paper's numbers"
PAPER_HELP = "As open diamonds in the figure, and as a second row in the table"
FIRST_FITS = "The first fits are running. Curves appear here fit by fit."
NOTHING_YET = "No fit is finished yet. Run the experiment, and curves appear here fit by fit."
RUN_AGAIN = "Curves appear here once the experiment has run again."
LAM_TITLE = "The search for λ: held-out score along the path"
LAM_CAPTION = "λ is the strength of the regularization. The scores are those of held-out training entries."
OTHER_VERSION = (
    "{} of the stored fits were made by another version of mrwtd ({}). This is {}. A table never mixes versions."
)
