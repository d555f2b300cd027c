"""A sealed run as files for others: tables and archives."""
