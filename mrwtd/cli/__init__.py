"""The commands of the command line, one a file, in the words of the library."""
