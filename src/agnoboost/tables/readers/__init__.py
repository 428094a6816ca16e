"""What becomes of one column of a table: a reader for each kind, which packs itself for the model file."""
