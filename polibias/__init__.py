"""Poli-Bias: audit whether language models treat countries even-handedly, and validate the judge that says so."""

__version__ = "0.1.0"
