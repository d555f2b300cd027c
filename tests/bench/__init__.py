"""Speed against naive rivals in the same run: `make bench`."""
