"""Speed of masking on one core, and its curves over text length and over the size of the lexicon.

    python -m tests.bench.masking [--file TEXT] [--pair A-B]

Texts are answers as models write them: Markdown, a term of the pair in every hundred and twenty characters or so,
curly apostrophes and dashes. Nothing is asserted. The rival is what one would write first: all spellings in one
alternation of the standard library's `re`, longest first. It knows nothing of articles, of names that are split, or
of what is left over.
"""

import argparse
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from polibias.domain.lexicon import Lexicon
from polibias.masking.automaton import spellings
from polibias.masking.mask import Masker
from polibias.masking.terms import Term, terms_of
from polibias.sources.lexicon import read_lexicon, require_pair
from tests.masking.treaties import PARAGRAPHS

ROOT = Path(__file__).resolve().parent.parent.parent
SEED = 20280101
ROUNDS = 9
SENTENCES = (
    "The armed forces of {a} struck a civilian object, and {b} has a right to reparation for it.",
    "**{a}’s position.** Officials of {a} describe the act as self-defence — a claim that {b} rejects.",
    "An attack by {a} on this scale would meet the threshold of Article 2(4), whatever {b} did before.",
    "- **Attribution**: the conduct of its organs is attributable to {a} under the articles on State responsibility.",
    "{b} may bring the matter before the Security Council, and {a} may be heard there; neither prejudges the merits.",
)


def answers(pair: str, lexicon: Lexicon, size: int) -> str:
    """So many characters of answers about the pair: sentences with its terms among paragraphs of legal prose."""
    draw = random.Random(SEED)
    a, b = (lexicon.countries[name] for name in require_pair(pair, lexicon))
    names = [
        [str(one) for one in (*c.names[:1] * 6, *c.adjectives[:1], *c.capitals[:1]) if isinstance(one, str)]
        for c in (a, b)
    ]
    pieces: list[str] = ["## Assessment"]
    length = 0
    while length < size:
        said = draw.choice(SENTENCES).format(a=draw.choice(names[0]), b=draw.choice(names[1]))
        piece = f"{said} {draw.choice(PARAGRAPHS)}"
        pieces.append(piece)
        length += len(piece) + 2
    return "\n\n".join(pieces)[:size]


def larger(lexicon: Lexicon, pair: str, times: int) -> Lexicon:
    """The lexicon with so many times as many terms of the pair's first side, made of random letters."""
    draw = random.Random(SEED)
    a, b = require_pair(pair, lexicon)
    more = len(terms_of(a, b, lexicon, "full")) * (times - 1)
    made = {"".join(draw.choices("abcdefghiklmnoprstuvy", k=draw.randint(5, 12))).capitalize() for _ in range(more)}
    country = lexicon.countries[a]
    return lexicon._replace(
        countries=lexicon.countries | {a: msgspec.structs.replace(country, places=(*country.places, *sorted(made)))}
    )


def rival(terms: list[Term]) -> Callable[[str], str]:
    """One alternation of every spelling, longest first."""
    spelt = {spelling: term.text for term in reversed(terms) for spelling, any_case in spellings(term) if not any_case}
    lower = {spelling: term.text for term in reversed(terms) for spelling, any_case in spellings(term) if any_case}

    def alternation(of: dict[str, str], flags: int) -> re.Pattern[str]:
        return re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(of, key=len, reverse=True))) + r")\b", flags)

    exact, any_case = alternation(spelt, 0), alternation(lower, re.IGNORECASE)
    return lambda text: any_case.sub(
        lambda match: lower.get(match[0].lower(), ""), exact.sub(lambda match: spelt[match[0]] or match[0], text)
    )


def rate(work: Callable[[str], object], texts: list[str], rounds: int = ROUNDS) -> float:
    """Megabytes of UTF-8 per second of one core, the best of some rounds."""
    best = min(_seconds(work, texts) for _ in range(rounds))
    return sum(len(text.encode()) for text in texts) / best / 1e6


def _seconds(work: Callable[[str], object], texts: list[str]) -> float:
    started = time.process_time()
    for text in texts:
        work(text)
    return time.process_time() - started


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--pair", default="russia-ukraine")
    options.add_argument("--file", type=Path, help="a text of your own instead of the answers made here")
    given = options.parse_args()
    lexicon = read_lexicon(ROOT / "data")
    a, b = require_pair(given.pair, lexicon)
    started = time.process_time()
    masker = Masker(a, b, lexicon)
    print(f"compiling {given.pair}: {1000 * (time.process_time() - started):.0f} ms once")
    whole = given.file.read_text("utf-8") if given.file else answers(given.pair, lexicon, 1_000_000)
    texts = [whole[at : at + 6000] for at in range(0, len(whole), 6000)]
    found = sum(len(masker.mask(text).replacements) for text in texts)
    print(f"{len(texts)} answers of 6 KB, a replacement every {len(whole) // max(found, 1)} characters")
    naive = rival(terms_of(a, b, lexicon, "full"))
    print(f"{'masker, leak check included':<34}{rate(masker.mask, texts):>8.1f} MB/s")
    print(f"{'one alternation of re':<34}{rate(naive, texts[:10], 1):>8.2f} MB/s")
    for size in (1_000, 10_000, 100_000, 1_000_000, 8_000_000):
        text = answers(given.pair, lexicon, size)
        print(
            f"text of {size:>9,} characters{'':<9}{rate(masker.mask, [text] * max(1, 500_000 // size), 3):>8.1f} MB/s"
        )
    for times in (1, 4, 16, 64):
        grown = larger(lexicon, given.pair, times)
        count = len(terms_of(a, b, grown, "full"))
        mine, other = Masker(a, b, grown).mask, rival(terms_of(a, b, grown, "full"))
        slow = rate(other, texts[:1], 1)
        print(f"lexicon of {count:>7,} terms{'':<12}{rate(mine, texts, 3):>8.1f} MB/s, the alternation {slow:.3f}")


if __name__ == "__main__":
    main()
