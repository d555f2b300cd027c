"""The layouts, oldest first."""
