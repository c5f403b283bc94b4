"""A package in a folder of its own name, as in a repository of that name."""
