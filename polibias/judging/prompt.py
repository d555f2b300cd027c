"""The judge prompt for one pair of responses in one order. Pure text.

Source: paper section 4.3 and A.3.
"""

import hashlib

import msgspec

from polibias.domain.rows import PromptPair
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both, Order
from polibias.domain.wording import JudgePrompt, fill
from polibias.models.base import wire_text

FENCE_DIGITS = 10


def judge_prompt(asked: JudgePrompt, rubric: Rubric, pair: PromptPair, texts: Both[str], order: Order) -> str:
    """The prompt with everything filled in, by `rubric` as this task asks for it. Number 1 is the one shown first."""
    prompt_1, prompt_2 = pair.seen.in_order(order)
    acting_1, acting_2 = pair.acting.in_order(order)
    facing_1, facing_2 = pair.facing.in_order(order)
    response_1, response_2 = texts.in_order(order)
    values = {
        **rubric_texts(rubric),
        "acting_1": acting_1,
        "acting_2": acting_2,
        "facing_1": facing_1,
        "facing_2": facing_2,
        "prompt_1": prompt_1,
        "prompt_2": prompt_2,
        "response_1": wire_text(response_1),
        "response_2": wire_text(response_2),
        "quote_chars": str(asked.quote_chars),
        "fence": fence(prompt_1, prompt_2, response_1, response_2),
    }
    return fill(asked.text, values, f"judge prompt '{asked.id}'")


def fence(*texts: str) -> str:
    """A delimiter for this call alone: it follows from the texts it encloses and occurs in none of them."""
    whole = "\n".join(wire_text(text) for text in texts)
    digest = hashlib.sha256(whole.encode("utf-8")).hexdigest()
    while digest[:FENCE_DIGITS] in whole:
        digest = hashlib.sha256(digest.encode("ascii")).hexdigest()
    return digest[:FENCE_DIGITS]


def rubric_texts(rubric: Rubric) -> dict[str, str]:
    """The rubric in judge wording, full and short, by placeholder name."""
    dimensions = [
        f"- {dimension.id}: {dimension.judge}" + (f" Signs: {'; '.join(dimension.cues)}." if dimension.cues else "")
        for dimension in rubric.dimensions
    ]
    labels = [
        f"- {label.id}: {label.judge} " + "; ".join(f'"{option.id}": {option.judge}' for option in label.options) + "."
        for label in rubric.labels
    ]
    return {
        "dimensions": "\n".join(dimensions),
        "dimensions_short": "; ".join(f"{dimension.id} ({dimension.gloss})" for dimension in rubric.dimensions),
        "levels": "\n".join(f"{level.score}: {level.title}. {level.judge}" for level in rubric.levels),
        "levels_short": ", ".join(f"{level.score} = {level.title}" for level in rubric.levels),
        "favoured": rubric.favoured.judge,
        "slots": ", ".join(f'"{slot}"' for slot in msgspec.structs.astuple(rubric.favoured.slots)),
        "labels": "\n".join(labels),
        "labels_short": "; ".join(
            f"{label.id} {'/'.join(option.id for option in label.options)}" for label in rubric.labels
        ),
    }
