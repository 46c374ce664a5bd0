"""The web pages: menu, settings, and what a user has loaded. Only here, in `app.py` and in `pages/` is Streamlit."""

import warnings

from ..model.diagnostics import ConvergenceWarning

# Pages show what fits report.
warnings.filterwarnings("ignore", category=ConvergenceWarning)
