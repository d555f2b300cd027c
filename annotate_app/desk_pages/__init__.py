"""The coordinator's pages: progress, items, events. They read `annotate_app.watch` and nothing else."""
