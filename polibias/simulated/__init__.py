"""A whole study without any model: a sealed run whose every number is known, because it was declared."""
