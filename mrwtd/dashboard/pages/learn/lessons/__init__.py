"""The lessons of the Learn page, one a file: what is shown and asked. What they compute is in `demonstrations`."""
