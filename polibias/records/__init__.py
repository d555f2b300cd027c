"""The archive: append-only streams, seals and locks."""
