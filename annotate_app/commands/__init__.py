"""The commands of `polibias-annotate`: each one's options, what it calls, and what it prints."""
