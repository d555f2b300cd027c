"""Speed of the detectors in megabytes per second of processor time, and how their time grows with the text.

    python -m tests.bench.detectors

Realistic: 400 answers of about 5 kB each, as `tests.detectors.answers` makes them. Hostile: texts of the parts on which
rules could backtrack, 0.25, 0.5 and 1 MB long; a factor near 2 from one length to the next is linear time, and only
the worst text for each detector is printed.
"""

import time
from collections.abc import Callable

from polibias.detectors.loop import find_loop
from polibias.detectors.premise import find_premise
from polibias.detectors.provisions import citations
from polibias.detectors.rating import find_rating
from polibias.detectors.refusal import find_refusal
from polibias.detectors.signals import signals
from polibias.detectors.structure import arguments, hedges, structure, words
from polibias.sources.files import data_folder
from polibias.sources.law import read_provisions
from tests.detectors.answers import answer
from tests.detectors.test_signals import HOSTILE

ANSWERS, SECTIONS = 400, 10
SIZES = (250_000, 500_000, 1_000_000)
ROUNDS = 5
WORSE = ("9 ", "9/10 ", "rating 9 ", "between 8 and ", "ten ", "9½", "Articles 1-64, ", "Article 8(2)(a), (b)")

TABLE = {name: instrument.provisions for name, instrument in read_provisions(data_folder(), []).items()}
DETECTORS: dict[str, Callable[[str], object]] = {
    "refusal": find_refusal,
    "premise": find_premise,
    "premise, T2": lambda text: find_premise(text, "T2"),
    "rating": find_rating,
    "loop": find_loop,
    "all of them, T1": lambda text: signals(text, "T1"),
    "all of them, T4": lambda text: signals(text, "T4"),
    "words": words,
    "hedges": hedges,
    "arguments": arguments,
    "provisions": lambda text: citations(text, TABLE),
    "structure, T1": lambda text: structure(text, TABLE, rated=False),
}


def seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Processor time, the best of a few rounds."""
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def main() -> None:
    texts = [answer(seed, SECTIONS, rating=seed % 4 == 0) for seed in range(ANSWERS)]
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{ANSWERS} answers, {megabytes:.1f} MB; hostile: seconds for {' '.join(f'{n / 1e6:g}' for n in SIZES)} MB")
    for name, detect in DETECTORS.items():
        realistic = seconds(lambda detect=detect: [detect(text) for text in texts])
        unit, times = max((hostile(detect, unit) for unit in (*HOSTILE, *WORSE)), key=lambda found: found[1][-1])
        grown = " ".join(f"{second:.2f}" for second in times)
        print(f"{name:<18}{megabytes / realistic:>8.1f} MB/s   worst hostile {unit!r:<22}{grown} s")


def hostile(detect: Callable[[str], object], unit: str) -> tuple[str, list[float]]:
    texts = [(unit * (size // len(unit) + 1))[:size] for size in SIZES]
    return unit, [seconds(lambda text=text: detect(text), rounds=1) for text in texts]


if __name__ == "__main__":
    main()
