"""The human half: blind annotation of what models wrote, in a browser, from invitation to export."""
