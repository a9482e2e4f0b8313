"""The checks of packages: each installs one by its own tool into an empty place, and runs it."""
