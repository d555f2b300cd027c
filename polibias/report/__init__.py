"""From findings to files that a person opens."""
