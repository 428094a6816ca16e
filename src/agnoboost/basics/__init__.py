"""What every room may use: types, checks of input, conventions, memories, luck by content, files that appear whole."""
