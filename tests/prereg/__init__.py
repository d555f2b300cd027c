"""Plans of validation, from the sample to the report."""
