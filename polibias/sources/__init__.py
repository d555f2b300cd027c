"""The only door in: declared files become values."""
