"""The only door to a model or a network."""
