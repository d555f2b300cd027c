"""Filling placeholders in one pass, and judge prompts as data."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from polibias.domain.rubric import Dimension, FavouredRule, FormWording, ReportWording, Rubric
from polibias.domain.value import EntryId, Text, Value
from polibias.errors import InputError

JUDGE_NAMES = frozenset(
    {
        *("acting_1", "acting_2", "facing_1", "facing_2", "prompt_1", "prompt_2", "response_1", "response_2"),
        *("fence", "quote_chars", "favoured", "slots"),
        *("dimensions", "dimensions_short", "levels", "levels_short", "labels", "labels_short"),
    }
)
NAMING_NAMES = frozenset(
    {"prompt_1", "prompt_2", "response_1", "response_2", "fence", "candidates", "cannot_tell", "levels", "quote_chars"}
)
PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def placeholders(text: str) -> frozenset[str]:
    """The names that `text` has in braces."""
    return frozenset(PLACEHOLDER.findall(text))


def fill(text: str, values: Mapping[str, str], where: str) -> str:
    """`text` with every {name} replaced by its value.

    One pass: braces inside a value stay as they are, so no inserted text can name another value.
    Raises InputError, naming `where`, for a placeholder without a value.
    """
    unknown = sorted(placeholders(text) - values.keys())
    if unknown:
        raise InputError(f"{where}: unknown placeholder {{{unknown[0]}}}; known are {', '.join(sorted(values))}")
    return PLACEHOLDER.sub(lambda match: values[match[1]], text)


class JudgePrompt(Value, frozen=True):
    """A judge task: how a judge is asked, and for what.

    `quotes` is 1 (one per dimension) or 2 (one from each response). `dimensions` and `favoured` take the place of the
    rubric's; without `labels` the judge is not asked for the responses' labels. `favoured` and `form` are also what
    annotators of such pairs are asked by; `report` is how the report speaks of them. `roles` are those that the text is
    written for.

    Source: paper section 4.3, A.3, F, I and J.
    """

    id: EntryId
    title: Text
    quotes: Annotated[int, msgspec.Meta(ge=1, le=2)]
    quote_chars: Annotated[int, msgspec.Meta(ge=1, le=2000)]
    text: Text
    roles: Literal["swapped", "kept", "any"] = "any"
    labels: bool = True
    dimensions: tuple[Dimension, ...] = ()
    favoured: FavouredRule | None = None
    form: FormWording | None = None
    report: ReportWording | None = None

    def scored_by(self, rubric: Rubric) -> Rubric:
        """The rubric as this task asks for it: what the judge's answer must hold."""
        return msgspec.structs.replace(
            rubric,
            dimensions=self.dimensions or rubric.dimensions,
            favoured=self.favoured or rubric.favoured,
            report=self.report or rubric.report,
            labels=tuple(label for label in rubric.labels if "judge" in label.asked) if self.labels else (),
        )


class NamingPrompt(Value, frozen=True):
    """A task of re-identification: how a judge is asked of which two countries a masked pair is.

    `cannot_tell` are the words for not naming a country, `confidence` those for the levels 1, 2, … from the least to
    the surest. What gives the countries away is quoted in `quote_chars` characters at most. Source: paper, App. H.
    """

    id: EntryId
    title: Text
    cannot_tell: Text
    confidence: Annotated[tuple[Text, ...], msgspec.Meta(min_length=2)]
    quote_chars: Annotated[int, msgspec.Meta(ge=1, le=2000)]
    text: Text
