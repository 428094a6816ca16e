"""Tables as people have them: files, columns, categories, missing values; and as models need them."""
