"""The dashboard. Only this package, `app.py` and `pages/` use Streamlit."""

import warnings

from ..model.diagnostics import ConvergenceWarning

# Pages show the diagnostics of fits themselves.
warnings.filterwarnings("ignore", category=ConvergenceWarning)
