"""The data card of an archived run: what it is, what is in it, how to check it, what it is good for and what not."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from polibias.analysis.asked import rubric_of
from polibias.domain.display import in_cell
from polibias.domain.rows import Annotation, JudgeGuess, Judgment, MaskedResponse, PromptPair, Response
from polibias.publish.material import Material
from polibias.records.ledger import Stream, read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import Run

KINDS: dict[type[Any], str] = {
    PromptPair: "pairs of prompts",
    Response: "responses",
    MaskedResponse: "responses with the countries hidden",
    Judgment: "judgments",
    JudgeGuess: "judges' guesses at hidden countries",
    Annotation: "annotations",
}
RESPONSIBLE = """\
## What it is good for, and what not

- Situations in it are made up. That a country acts in one says nothing about what that country does or did; quote a
  response about a country only together with the prompt that asked for it.
- Scores describe how differently two answers treat two versions. They compare models and conditions over many pairs;
  a single pair proves little, and no score is a verdict on a country, a people or a company.
- Judges are models with leanings of their own. Read their scores beside agreement with people.
- Responses may contain false claims about law and history, and wording that harms. They are here as evidence of what
  a model wrote. Do not train a model to argue like that, and do not present them as anyone's view.
- Models behind an address change. The revisions above say what is known; "unpinned" means that nobody can ask the
  same again.
- A seal shows changes, it does not prevent them: whoever can rewrite all files can write a new manifest. Compare its
  hash with one that was published elsewhere.
"""
PEOPLE = """\
The annotations were given by people under the names that they were invited by. Before passing them on, see that
these names identify nobody and that those people agreed.
"""
LICENCE = """\
## Licence

Scenarios, prompts, rubrics and code that come with Poli-Bias: GPL-3.0-or-later. Responses and judgments were written by
the models named above; what may be done with them also depends on the terms of their makers and providers, which this
archive does not grant.
"""


class Tally(NamedTuple):
    """How many rows a stream has, how its calls ended, and when the first and the last was stored."""

    stream: Stream[Any]
    rows: int
    ended: Counter[str]
    first: str
    last: str


def data_card(run: Run, about: Mapping[str, Any], material: Material) -> str:
    """The card as Markdown. It is made from the records alone, so that the same run has the same card."""
    tallies = [_tally(stream) for kind in KINDS for stream in run.streams() if stream.type is kind]
    return "\n".join(
        [
            *_head(run, about, tallies),
            *_contents(run, about, material),
            *_asked(about),
            *_who(about),
            *_counts(tallies),
            *_software(about),
            LICENCE,
            *_credit(about),
            RESPONSIBLE.rstrip(),
            *(["", PEOPLE.rstrip()] if run.annotations_folder.exists() else []),
            "",
        ]
    )


def top_folder(about: Mapping[str, Any]) -> str:
    """The folder that everything in an archive lies in: another one than the run's, which may lie beside it."""
    return f"{about['study']['id']}-archive"


def packages(about: Mapping[str, Any]) -> str:
    """The packages that the run was made with, one per line; empty if the run does not say."""
    found = about["software"].get("packages", {})
    return "".join(f"{name}=={version}\n" for name, version in sorted(found.items()))


def _tally(stream: Stream[Any]) -> Tally:
    ended: Counter[str] = Counter()
    rows, first, last = 0, "", ""
    for entry in read(stream):
        rows += 1
        ended[getattr(entry.row, "outcome", "")] += 1
        if entry.seen.at:
            first, last = min(first or entry.seen.at, entry.seen.at), max(last, entry.seen.at)
    return Tally(stream, rows, ended, first, last)


def _head(run: Run, about: Mapping[str, Any], tallies: list[Tally]) -> Iterator[str]:
    calls = [tally for tally in tallies if tally.stream.type in (Response, Judgment) and tally.first]
    first, last = min((t.first for t in calls), default="never"), max((t.last for t in calls), default="never")
    yield f"# Data card: {in_cell(about['study']['title'])}"
    yield ""
    yield f"A sealed run of the study `{about['study']['id']}`, made with Poli-Bias {about['software']['polibias']}."
    yield in_cell(rubric_of(about).report.about)
    yield ""
    yield f"- Asked and judged: {first} to {last}"
    yield f"- Manifest: `{manifest_hash(run.folder)}`"
    yield ""
    yield "To check it, unpack it and have every hash derived again, offline:"
    yield ""
    yield f"    polibias verify {top_folder(about)}/run"
    yield ""


def _contents(run: Run, about: Mapping[str, Any], material: Material) -> Iterator[str]:
    yield from ("## What is in it", "", "| place | content |", "|---|---|")
    yield "| `run/` | the run as it was sealed: one line per pair, response, judgment, …, with every request as sent |"
    yield "| `run/study.json` | the study, its models and judges, rubric and judge tasks, as they were asked |"
    if run.report.exists():
        yield "| `run/report/` | the report; begin with `index.html` |"
    if run.annotations_folder.exists():
        yield "| `run/annotations/` | what people answered about the same pairs |"
    if material.files:
        yield "| `data/` | the files with the entries, the rubric and the judge tasks that it was made from |"
    if packages(about):
        yield "| `packages.txt` | the packages it was made with |"
    yield ""
    if material.missing:
        yield (
            "The data folder is **not** in this archive, for it could not be shown to be the one that the run was made "
            f"from: {in_cell(_placeless(material.missing))}. "
            "The prompts as sent, the rubric and the judge tasks are in `run/`."
        )
        yield ""


def _placeless(text: str) -> str:
    """A reason without the place on the machine that it begins with."""
    _, colon, rest = text.partition(": ")
    return rest if colon else text


def _asked(about: Mapping[str, Any]) -> Iterator[str]:
    yield from ("## What was asked", "")
    names_alone = {copy["name"] for copy in about["copies"] if copy["mask"] == "names"}
    for name, title in about["study"]["conditions"].items():
        task = "not judged" if name in names_alone else f"judge task `{about['judge_prompts'][name]['id']}`"
        yield f"- Condition `{name}`: {in_cell(title)}; {task}"
    if about["reidentify"]:
        yield f"- Masked pairs re-identified by task `{about['reidentify']['asked']['id']}`"
    yield f"- Rubric: `{about['rubric']['id']}`"
    yield from (f"- Pair set, {name}: {in_cell(value)}" for name, value in about["pair_set"].items())
    yield from (f"- Replies taken from run `{name}`, manifest `{hash}`" for name, hash in about["reuse"].items())
    yield ""


def _who(about: Mapping[str, Any]) -> Iterator[str]:
    yield from ("## Who answered and who judged", "", "| role | name | provider | revision |", "|---|---|---|---|")
    for role, title in (("models", "model"), ("judges", "judge")):
        for entry, provider in zip(about[role], about["providers"][role], strict=True):
            yield f"| {title} | {in_cell(entry['name'])} | {in_cell(provider)} | {in_cell(entry['revision'])} |"
    yield ""


def _counts(tallies: list[Tally]) -> Iterator[str]:
    yield from ("## How much", "", "| what | whose | rows | how the calls ended |", "|---|---|---|---|")
    for tally in tallies:
        whose = "" if tally.stream.type is PromptPair else tally.stream.path.stem
        ended = ", ".join(f"{outcome} {n:,}" for outcome, n in sorted(tally.ended.items()) if outcome)
        yield f"| {KINDS[tally.stream.type]} | {in_cell(whose)} | {tally.rows:,} | {ended} |"
    yield from ("", "A row that names another in `supersedes` takes its place.", "")


def _software(about: Mapping[str, Any]) -> Iterator[str]:
    software = about["software"]
    yield from ("## Software", "")
    python = f", Python {software['python']}" if "python" in software else ""
    listed = "packages in `packages.txt`" if packages(about) else "the versions of other packages were not recorded"
    yield from (f"Poli-Bias {software['polibias']}{python}; {listed}.", "")


def _credit(about: Mapping[str, Any]) -> Iterator[str]:
    if about["pair_set"]:
        yield f"The pairs were imported. Credit and licence as given at import: {in_cell(about['pair_set']['credit'])}."
        yield ""
