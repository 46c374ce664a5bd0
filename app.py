"""The Start page: what mrwtd does, a finished result, and samples to try.

`streamlit run app.py` imports this file for the server, and runs it for each view of the page.
"""

import streamlit as st

ICON = ":material/home:"

if __name__ == "__main__":
    from mrwtd.dashboard.pages import start
    from mrwtd.dashboard.shell.page import page

    with page("Start"):
        start.render()
else:
    from mrwtd.dashboard import server

    app = st.App(__file__, **server.options())
