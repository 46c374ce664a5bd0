"""The shell around every page: page frame, history in the sidebar, mobile browsers, recovery from errors."""
