"""What annotators see. A page knows the blind item, the store and who is asking; nothing else."""
