"""Speed and accuracy, measured by hand; the results are kept beside."""
