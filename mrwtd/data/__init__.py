"""What is known: objects, relations and entries, and the ways in which they come in and go out."""
