"""Figures, as functions from results to Plotly figures, ECharts options, SVG or HTML.

Nothing here reads files, fits models or knows Streamlit: a figure can be drawn in a notebook and tested without a
page. Each module is one family of figures, for example `precision_recall`, `embedding_map` or `network_chart`;
`colours` and `figure_layout` hold what they share. Names are imported from these modules.
"""
