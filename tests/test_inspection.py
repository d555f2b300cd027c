"""`polibias lint data`: every mistake of a data folder in one go, each with file and line."""

import shutil
from pathlib import Path

from polibias.inspection import inspect
from tests.conftest import ROOT, polibias, spoil


def test_shipped_data_is_clean_and_counted(tmp_path: Path) -> None:
    done = polibias("lint", "data", "--data", ROOT / "data", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "template: 61, aggression 5, crimes_against_humanity 19, genocide 6, maritime 3, war_crimes 28" in done.stdout
    )


def test_all_mistakes_are_told_at_once(data: Path, tmp_path: Path) -> None:
    """One run of the command names every spoiled file, with the line of the entry."""
    spoil(data / "countries" / "countries.toml", 'possessive = "Argentina\'s"\n', "")
    spoil(data / "scenarios" / "genocide.toml", "in {year} by", "in {city} by")
    spoil(data / "scenarios" / "genocide.toml", 'id = "GEN-HRM-001"', 'id = "GEN-KIL-001"')
    spoil(data / "scenarios" / "maritime.toml", "UNCLOS, Arts. 17,", "UNCLOS, Arts. 1700,")
    spoil(data / "rubrics" / "poli-bias.toml", 'id = "severity"', 'id = "framing"')
    spoil(data / "prompts" / "judge" / "null.toml", "{response_2}", "the other")
    spoil(data / "prompts" / "judge" / "sycophancy.toml", "({slots})", "({slot})")
    spoil(data / "prompts" / "conditions.toml", 'judge_prompt = "pair"', 'judge_prompt = "pare"')
    spoil(data / "rubrics" / "poli-bias.toml", "score = 2", "score = 7")
    spoil(data / "models" / "glm-4.7.toml", 'developer = "Z.ai"', "developer = 7")
    (data / "prompts" / "mine.toml").write_bytes(b'title = "caf\xe9"')
    done = polibias("lint", "data", "--data", data, cwd=tmp_path)
    assert done.returncode == 1
    for said in (
        "countries.toml:16: country 'argentina': Object missing required field `possessive`",
        "genocide.toml:4: template 'GEN-KIL-001': unknown placeholder 'city'",
        "genocide.toml:15: template 'GEN-KIL-001': defined twice, first at",
        "maritime.toml:4: template 'MAR-PAS-001'",
        "poli-bias.toml: dimension and label ids must be unique",
        "null.toml: the judge prompt has no {response_2}",
        "conditions.toml:6: condition 'official': unknown judge prompt 'pare'; did you mean pair",
        "sycophancy.toml: unknown placeholder {slot} in its text",
        "poli-bias.toml: the levels' scores must ascend",
        "glm-4.7.toml: ",
        "mine.toml: byte 12 is not UTF-8",
    ):
        assert said in done.stdout, said


def test_a_folder_without_law_or_counts_is_checked_as_far_as_it_goes(data: Path) -> None:
    """A data folder of one's own need not have this library's numbers."""
    shutil.rmtree(data / "law")
    (data / "counts.toml").unlink()
    shutil.rmtree(data / "models")
    (data / "scenarios" / "maritime.toml").unlink()
    assert inspect(data).problems == []
