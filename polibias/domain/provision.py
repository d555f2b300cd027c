"""Provisions of treaties, and the one way in which each is written."""

import re
from typing import NamedTuple

NUMBER = re.compile(r"\d+(?: (?:bis|ter|quater))?(?:\((?:\d+|[a-z]+)(?: (?:bis|ter))?\))*")
"""A provision in its own form: 8(2)(b)(iv), 8 bis(1), 25(3 bis)."""


class Provision(NamedTuple):
    """A provision of an instrument: ("Rome Statute", "8(2)(b)(iv)")."""

    instrument: str
    number: str

    def __str__(self) -> str:
        return f"{self.instrument}, Art. {self.number}"
