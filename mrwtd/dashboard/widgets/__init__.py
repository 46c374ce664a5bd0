"""Building blocks of pages: inputs, pickers, figures, formatting."""
