"""Rules for prose, written so that people can read them."""

import re
from collections.abc import Iterable, Mapping


def compiled(rules: Iterable[str], phrases: Mapping[str, str]) -> re.Pattern[str]:
    """One pattern that finds the first place at which any of the rules fits, whatever the case.

    <NAME> in a rule or phrase stands for the phrase of that name, and a space for a single space of plain prose.
    Phrases are bounded in length, so the time grows with the text alone.
    """
    return re.compile("|".join(f"(?:{filled(rule, phrases)})" for rule in rules), re.IGNORECASE)


def filled(rule: str, phrases: Mapping[str, str]) -> str:
    """The rule with every <NAME> in it replaced."""
    while True:
        fuller = re.sub(r"<([A-Z_]+)>", lambda name: f"(?:{phrases[name[1]]})", rule)
        if fuller == rule:
            return rule
        rule = fuller
