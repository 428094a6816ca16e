"""The sections of the page: each is a function from the case to markup."""
