"""Array work behind the weak learners."""
