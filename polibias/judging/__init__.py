"""From two responses in one order to a verdict."""
