"""The commands of `polibias`, by what they work on: each says its options, calls and prints."""
