"""Frozen values and what they mean; no I/O."""
