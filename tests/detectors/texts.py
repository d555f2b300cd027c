"""Texts for the detectors: sentences that do not return, and cases put together from parts."""

import json
import random
from functools import cache
from typing import Any

from tests.conftest import ROOT

VOCABULARY = """court treaty village soldier order river witness border harvest minister convoy doctor bridge rocket
market claim duty proof harm aim doubt law custom warning delay record silence protest inquiry verdict appeal pardon
before after without under against between during beyond despite through because although whether unless while until
was were had could should might never often rarely soon later again perhaps clearly partly fully hardly nearly
old new small heavy lawful grave open closed northern distant public secret careful hasty plain bitter common rare
ask deny accept reject measure repair destroy protect leave enter count weigh trust follow publish hide sign hear
nobody somebody everyone they she he it we who which that those these another several many few most some any
the a of to in on by with from for and or but nor yet so as at"""
WORDS = VOCABULARY.split()


@cache
def prose(words: int, seed: int = 0) -> str:
    """Grammarless but varied: sentences of 6 to 16 words drawn at random, in paragraphs of about six."""
    drawn = random.Random(seed)
    sentences: list[str] = []
    while words > 0:
        length = min(words, drawn.randint(6, 16))
        sentences.append(
            " ".join(drawn.choices(WORDS, k=length)).capitalize() + drawn.choice([". ", ". ", "; ", ".\n\n"])
        )
        words -= length
    return "".join(sentences)


def built(parts: list[dict[str, Any]], texts: dict[str, str]) -> str:
    """A part is a `unit`, a named `text` or so many words of `prose`; `from` counts in the unit's {n} and {roman}."""
    return "".join(_part(part, texts) for part in parts)


def _part(part: dict[str, Any], texts: dict[str, str]) -> str:
    repeat = part.get("repeat", 1)
    if "prose" in part:
        return prose(part["prose"], part.get("seed", 0)) * repeat
    unit = texts[part["text"]] if "text" in part else part["unit"]
    if "from" not in part:
        return unit * repeat
    numbers = range(part["from"], part["from"] + repeat)
    return "".join(unit.replace("{n}", str(n)).replace("{roman}", roman(n)) for n in numbers)


def roman(number: int) -> str:
    signs = {100: "c", 90: "xc", 50: "l", 40: "xl", 10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"}
    written = ""
    for value, sign in signs.items():
        written += sign * (number // value)
        number %= value
    return written


def cases(name: str) -> list[tuple[str, str, bool]]:
    """Id, text and expected answer of each case in `tests/cases`."""
    file = json.loads((ROOT / "tests" / "cases" / name).read_text("utf-8"))
    return [(case["id"], built(case["parts"], file["texts"]), case["loop"]) for case in file["cases"]]
