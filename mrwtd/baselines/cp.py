"""CP: the weighted CP decomposition with any loss, which is MrWTD with every R_k held diagonal."""
from __future__ import annotations
import numpy as np
import numpy.typing as npt
from ..model.mrwtd import MrWTD
class CP(MrWTD):
    diagonal = True
METHODS = {"CP": CP}
