"""Does a data folder keep its own rules? Values in, lines out; no I/O."""
