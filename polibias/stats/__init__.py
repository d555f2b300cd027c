"""Numbers in, Estimate out. Only numpy and scipy; no files, no clock, no global random state."""
