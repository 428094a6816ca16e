"""Attempts to break the library: damaged files, odd tables, kills. See docs/reliability.md."""
