"""The coordinator's pages.

Progress, items and events are read from `annotate_app.watch`; splits and plans are what `polibias` says.
"""
