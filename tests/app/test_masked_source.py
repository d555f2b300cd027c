"""Reading masked items: what a file may hold, and the one line that says what is wrong with any other."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotate_app.cli import main
from annotate_app.masked_source import read_masked
from annotate_app.questions import CANNOT_TELL, Candidate, Naming
from annotate_app.remaining_names import names_left
from annotate_app.sealed import MaskedOrigin, read_sealed
from polibias.domain.sides import Both
from polibias.errors import InputError
from polibias.sources.library import Library
from tests.app.conftest import ROOT
from tests.app.masked_items import FEW, NAMING, PROTOCOL, SHIPPED, line, naming, pairs, write


def read(path: Path, lines: list[dict[str, Any]]) -> Any:
    return read_masked(write(path / "m.jsonl", lines), PROTOCOL)


def asked(changed: Naming) -> Any:
    return msgspec.structs.replace(PROTOCOL, naming=changed)


def test_every_line_becomes_an_item_under_its_category(tmp_path: Path) -> None:
    lines = [line(), line(model="llamatron-3"), line(pair="pair-2", category="tension", x="peru", y="france")]
    source = read(tmp_path, lines)
    assert source.name == "m.jsonl"
    assert source.manifest == hashlib.sha256((tmp_path / "m.jsonl").read_bytes()).hexdigest()
    assert source.scheme == NAMING
    assert [one.block for one in source.materials] == ["active", "active", "tension"]
    assert source.materials[2].origin == MaskedOrigin("pair-2", "qwenzilla-7b", "peru", "france", "tension")
    texts = source.materials[0].texts
    assert texts["prompts"] == Both(*line()["prompts"].values())
    assert texts["responses"] == Both(*line()["responses"].values())
    assert texts["acting"] == texts["facing"] == Both("", "")


def test_without_candidates_every_country_of_the_data_is_one(tmp_path: Path) -> None:
    source = read_masked(write(tmp_path / "m.jsonl", [line()]), SHIPPED)
    countries = Library(ROOT / "data").countries
    assert isinstance(source.scheme, Naming)
    assert {one.id: one.name for one in source.scheme.candidates} == {one.id: one.name for one in countries.values()}
    assert len(source.scheme.candidates) == 54


def test_byte_order_mark_blank_lines_and_half_characters_pass(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    text = json.dumps(line(responses={"A": "Country X \ud800 \x00", "B": "   Country Y"}))
    path.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\r\n\n  \n")
    (item,) = read_masked(path, PROTOCOL).materials
    assert item.texts["responses"] == Both("Country X \ud800 \x00", "   Country Y")


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in line().items() if key != name}


WRONG: dict[str, tuple[Any, str]] = {
    "not JSON": ("{oops", "not valid JSON"),
    "JSON that never ends": ('{"pair": ' * 100_000, "not valid JSON"),
    "no object": ("[1, 2]", "Expected `object`"),
    "a number for a text": (line(pair=5), r"Expected `str`, got `int` \(at pair\)"),
    "a missing field": (without("category"), "missing required field `category`"),
    "an unknown field": (line(note="x"), "unknown field `note`"),
    "an unknown side": (line(prompts={"A": "a", "B": "b", "C": "c"}), r"unknown field `C` \(at prompts\)"),
    "a missing side": (line(responses={"A": "a"}), r"missing required field `B` \(at responses\)"),
    "a name twice": (json.dumps(line())[:-1] + ', "x": "peru"}', "a name occurs twice"),
    "an unknown country": (line(x="irann"), "unknown candidate 'irann'; did you mean iran"),
    "one country twice": (line(x="israel"), "x and y are both 'israel'"),
    "an empty text": (line(responses={"A": "", "B": "b"}), r"length >= 1 \(at responses.A\)"),
    "a blank text": (line(prompts={"A": "Country X, Country Y", "B": " \n\t"}), r"prompts\.B is empty"),
    "a blank pair": (line(pair="  "), "pair is empty"),
    "no placeholder": (
        line(prompts={"A": "He shells her.", "B": "She shells him."}, responses={"A": "Country X.", "B": "No."}),
        "no text speaks of 'Country Y'",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, name: str) -> None:
    bad, said = WRONG[name]
    path = tmp_path / "m.jsonl"
    path.write_text(json.dumps(line(pair="fine")) + "\n" + (bad if isinstance(bad, str) else json.dumps(bad)))
    with pytest.raises(InputError, match=said) as caught:
        read_masked(path, PROTOCOL)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_utf_8_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_bytes(json.dumps(line()).encode() + b'\n{"pair": "\xff"}\n')
    with pytest.raises(InputError, match=r"m\.jsonl:2: byte 11 is not UTF-8"):
        read_masked(path, PROTOCOL)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_lines_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="nothing to annotate"):
        read_masked(path, PROTOCOL)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_masked(tmp_path / "none.jsonl", PROTOCOL)


def test_a_pair_of_one_model_stands_there_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"m\.jsonl:3: pair 'pair-1' as answered by 'qwenzilla-7b' .* line 1 already"):
        read(tmp_path, [line(), line(model="other"), line(category="tension")])


@pytest.mark.parametrize(
    "text",
    ["IRAN strikes.", "(Iran)", "Iran's army", "the Iran_file", "Ir\u00adan", "I\u200bran", "\uff29ran", "1Iran2"],
)
def test_a_name_that_masking_left_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"m\.jsonl:1: responses\.B still says 'Iran'.*\(1 such line\)"):
        read(tmp_path, [line(responses={"A": "Country X.", "B": text})])


@pytest.mark.parametrize("text", ["The Iranian army", "irancy", "Germany and Peru", "moiran", ""])
def test_other_words_and_other_countries_give_nothing_away(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, [line(responses={"A": "Country X.", "B": f"Country Y. {text}"})]).materials


def test_a_file_with_names_says_how_many_lines_have_them(tmp_path: Path) -> None:
    told = {"A": "Country X is Israel.", "B": "Country Y."}
    lines = [line(pair=f"p{number}", **({"responses": told} if number % 2 else {})) for number in range(30)]
    with pytest.raises(InputError, match=r":2: responses\.A still says 'Israel'.*\(15 such lines: 2, 4, .*, 20, …\)"):
        read(tmp_path, lines)


def test_a_candidate_is_known_by_the_datas_name_too(tmp_path: Path) -> None:
    protocol = asked(naming(candidates=(Candidate("iran", "Persia"), *FEW[1:])))
    with pytest.raises(InputError, match="still says 'Iran'"):
        read_masked(write(tmp_path / "m.jsonl", [line(responses={"A": "In Iran?", "B": "b"})]), protocol)


def test_names_of_scripts_without_capitals_are_found_within_words() -> None:
    assert names_left("イランは間違っていた", ["イラン"]) == ["イラン"]
    assert names_left("وإيران", ["إيران"]) == ["إيران"]
    assert names_left("the  United\nStates' fleet", ["United States"]) == ["United States"]
    assert names_left("Romania and woman", ["Oman"]) == []


BAD_NAMING: dict[str, tuple[dict[str, Any], str]] = {
    "one candidate": ({"candidates": FEW[:1]}, "at least two candidates"),
    "a candidate twice": ({"candidates": (*FEW, FEW[0])}, "'iran' stands there twice"),
    "the word for nothing": ({"candidates": (*FEW, Candidate(CANNOT_TELL, "x"))}, "no candidate can have the id"),
    "two of one name": ({"candidates": (*FEW, Candidate("iran2", " IRAN"))}, "two candidates read 'iran'"),
    "unseen": ({"candidates": (*FEW, Candidate("a", "A\u202e"))}, "cannot be seen"),
    "one level": ({"confidence": ("sure",)}, "at least two levels"),
    "two levels alike": ({"confidence": ("sure", "Sure")}, "two levels of confidence read 'sure'"),
    "placeholders alike": ({"placeholders": ("Country X", "country x")}, "two placeholders read"),
    "an unknown word": ({"question": "Who is {country}?"}, r"uses \{country\}"),
}


@pytest.mark.parametrize("name", BAD_NAMING)
def test_a_naming_that_cannot_be_asked_is_refused(tmp_path: Path, name: str) -> None:
    changed, said = BAD_NAMING[name]
    with pytest.raises(InputError, match=said):
        read_masked(write(tmp_path / "m.jsonl", [line()]), asked(naming(**changed)))


def test_a_protocol_without_naming_is_refused(tmp_path: Path) -> None:
    protocol = msgspec.structs.replace(PROTOCOL, naming=None)
    with pytest.raises(InputError, match=r"needs \[naming\]"):
        read_masked(write(tmp_path / "m.jsonl", [line()]), protocol)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """`polibias-annotate create` in a folder of its own."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: main(["create", *arguments])


def test_create_knows_a_file_of_masked_items(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "m.jsonl", pairs(4))
    assert command("m.jsonl", "--project", "masked", "--seed", "3", "--limit", "3") == 0
    assert "3 items, annotation seed 3" in capsys.readouterr().out
    sealed = read_sealed(tmp_path / "sealed" / "masked.json")
    assert (sealed.kind, sealed.run, len(sealed.items)) == ("reidentification", "m.jsonl", 3)
    blind = (tmp_path / "projects" / "masked" / "blind.db").read_bytes().decode("latin-1")
    for secret in ("qwenzilla", "pair-1", "tension"):
        assert secret not in blind


@pytest.mark.parametrize("name", ["none.jsonl", "bad.jsonl"])
def test_create_says_in_one_line_what_is_wrong(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    write(tmp_path / "bad.jsonl", [line(x="atlantis")])
    assert command(name, "--project", "masked") == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert name in said
    assert not (tmp_path / "projects").exists()


def test_the_example_of_the_guide_is_read(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "reidentification.md").read_text("utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", guide, re.DOTALL)
    lines = [one for one in example.splitlines() if one]
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    assert len(read_masked(path, SHIPPED).materials) == len(lines)
