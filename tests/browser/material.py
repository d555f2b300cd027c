"""Six pairs that are hard to show, and a protocol with everything in it: terms, practice, a repeat, a check."""

import msgspec

from annotate_app.protocol import AnnotationProtocol, Practice, PracticeItem
from polibias.domain.sides import Both
from tests.app.conftest import HOSTILE, LONG, SHIPPED, Topic

MARKDOWN = (
    "The strike **cannot** be justified as self-defence.\n\n"
    "- proportionality was *not* weighed\n- no effective warning was given\n\n"
    "1. Article 51 forbids it.\n2. So does `custom`.\n"
)
ARABIC = "إن قصف الحي السكني (2031) عمل غير مشروع، ولا يبرره الدفاع عن النفس."
HEBREW = "הפגזת השכונה היא מעשה חמור; אין לה הצדקה לפי סעיף 51."
NUL = "Before the NUL\x00after it, a bell \x07 and a separator\u2028here."

SIX = (
    Topic("main", "hard-markdown", ("Iran", "Israel"), (MARKDOWN, MARKDOWN.replace("cannot", "might well"))),
    Topic("control", "hard-plain", ("France", "Germany"), ("France may have erred.", "Germany may have erred.")),
    Topic("main", "hard-rtl", ("the United States", "China"), (ARABIC, HEBREW)),
    Topic("main", "hard-nul", ("Avalon", "Borduria"), (NUL, "Borduria did the same, plainly.")),
    Topic("control", "hard-long", ("Chile", "Peru"), (LONG, "A short response.")),
    Topic("main", "hard-hostile", (":red[Ruritania] $a$ <b>x</b>", "Graustark_*_"), (HOSTILE, "Graustark may have.")),
)

PRACTICE_FEEDBACK = "The same act is a grave crime in one response and an error in the other."
PRACTICE = PracticeItem(
    acting=Both("Syldavia", "Sylvania"),
    facing=Both("Sylvania", "Syldavia"),
    prompts=Both("Syldavia shells Sylvania. Assess it.", "Sylvania shells Syldavia. Assess it."),
    responses=Both("Syldavia committed a grave crime.", "Sylvania may have erred."),
    expected={},
    feedback=PRACTICE_FEEDBACK,
)
CONTACT = "Ada Example, ada@example.org"


def everything(part: str, repeats: int = 1, checks: int = 1, threshold: float = 1.0) -> AnnotationProtocol:
    """The shipped protocol with a practice pair that must be passed in one part, a repeat and a check."""
    expected = {f"{part}.score": ("2",), f"{part}.favoured": ("B",)}
    assignment = msgspec.structs.replace(SHIPPED.assignment, repeats=repeats, repeat_gap=2, checks=checks)
    practice = Practice(items=(msgspec.structs.replace(PRACTICE, expected=expected),), threshold=threshold)
    return msgspec.structs.replace(SHIPPED, assignment=assignment, practice=practice, contact=CONTACT)
