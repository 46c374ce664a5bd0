"""The lessons of the Learn page, one per file. What they compute is in `demos`, their texts in `learn_texts`."""
