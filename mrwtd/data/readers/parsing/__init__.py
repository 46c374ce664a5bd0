"""What the formats share: text, columns, headers, names, matrices."""
