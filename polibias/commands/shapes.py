"""Shapes that several commands share: how options are read, and how a line is printed."""

import argparse
from typing import TypeAlias

FEWEST_RESAMPLES, MOST_RESAMPLES = 100, 1_000_000
SEED = 20280101

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def one_line(text: str) -> str:
    """The text on one line, without anything that a terminal would act on."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def count(text: str) -> int:
    """An option that counts something."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def dollars(text: str) -> float:
    """An option that is a sum of money."""
    number = float(text)
    if not 0 < number < 1e9:
        raise argparse.ArgumentTypeError("must be a sum in US dollars above 0")
    return number


def resamples(text: str) -> int:
    """How many bootstrap resamples."""
    number = int(text)
    if not FEWEST_RESAMPLES <= number <= MOST_RESAMPLES:
        raise argparse.ArgumentTypeError(f"must lie between {FEWEST_RESAMPLES} and {MOST_RESAMPLES}")
    return number
