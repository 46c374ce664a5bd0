"""MrWTD itself, and the paper's variants of it by loss: quadratic, smooth hinge and logistic.

-H and -L use the quadratic loss for real relations, and ordinal and Poisson for the kinds without a loss in the paper.
"""

from ..model.method import METHODS, Style, Variant
from ..model.mrwtd import MrWTD

METHODS.register(MrWTD)
METHODS.register(Variant("MrWTD-Q", MrWTD, {"loss": "quadratic"}, 1, Style("#2A9D9D", "dashdot", "diamond")))
METHODS.register(Variant("MrWTD-H", MrWTD, {"loss": {"binary": "smooth-hinge"}}, 2, Style("#6A5ACD", "dot", "square")))
METHODS.register(
    Variant("MrWTD-L", MrWTD, {"loss": {"binary": "logistic"}}, 3, Style("#0072B2", "dash", "circle-open"))
)
