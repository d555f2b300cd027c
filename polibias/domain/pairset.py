"""Pairs of prompts made elsewhere, imported as one set."""

from polibias.domain.scenario import Block
from polibias.domain.sides import Both
from polibias.domain.value import EntryId, Text, Value


class ImportedPair(Value, frozen=True):
    """Two prompts of a set, with the factors that its file gives them. `line` is where the file has it.

    `acting` names what each version speaks for, e.g. whose stance it takes; empty where the file says nothing.
    """

    id: EntryId
    line: int
    prompts: Both[Text]
    template: EntryId
    category: EntryId
    topic: EntryId
    topic_category: EntryId
    task: EntryId
    block: Block = "main"
    acting: Both[str] = Both("", "")


class PairSet(Value, frozen=True):
    """An imported set: where it comes from, whom it is owed to, how its columns were read, and what was left out."""

    id: EntryId
    title: Text
    credit: str
    source: Text
    sha256: Text
    columns: dict[str, str]
    left_out: dict[str, str]
    pairs: tuple[ImportedPair, ...]
