"""Many calls to one model, each paid once."""
