"""Hiding which two countries a text is about."""
