"""The rooms of the export: what is stored, what the chain tells, whether they agree, and the files that say it."""
