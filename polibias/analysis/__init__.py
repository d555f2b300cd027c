"""From rows to findings."""
