"""What every page is drawn in: the page frame, navigation, the history in the sidebar, mobile browsers, recovery."""
