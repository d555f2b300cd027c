"""`polibias agreement` on every kind of file: what it reads, what it refuses, and the shape of what it prints."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polibias.analysis import crosscheck
from polibias.cli import main

LONG = ("--unit", "unit", "--rater", "rater", "--value", "value")
FEW = ("--resamples", "100")
PRINTED = ("value", "reason", "low", "high", "n", "clusters", "method")
CONTRACT = (
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "exact",
    "within_one",
    "mean_difference",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "alpha_ratio",
    "ac1",
    "ac2_quadratic",
    "fleiss_kappa",
    "icc_1_1",
    "icc_a_1",
    "icc_c_1",
    "icc_1_k",
    "icc_a_k",
    "icc_c_k",
)
X = [0, 1, 2, 3, 1, 2, 0, 3, 1, 0, 2, 3]
Y = [0, 1, 3, 3, 0, 2, 1, 2, 1, 0, 2, 3]

Row = dict[str, Any]
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Say:
    """A function that runs the command in an empty folder and returns its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main(["agreement", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def rows_of(*raters: Sequence[Any], clusters: int = 4) -> list[Row]:
    return [
        {"unit": f"u{unit:02d}", "rater": f"r{place}", "value": value, "group": f"g{unit % clusters}"}
        for unit, values in enumerate(zip(*raters, strict=True))
        for place, value in enumerate(values)
    ]


def as_csv(rows: Sequence[Row], name: str = "r.csv") -> str:
    pd.DataFrame(rows).to_csv(name, index=False)
    return name


def as_jsonl(rows: Sequence[Row], name: str = "r.jsonl") -> str:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return name


def as_parquet(rows: Sequence[Row], name: str = "r.parquet") -> str:
    pd.DataFrame(rows).to_parquet(name)
    return name


def found(say: Say, *arguments: object) -> dict[str, Any]:
    code, out, err = say(*arguments, "--json", *FEW)
    assert (code, err) == (0, "")
    printed: dict[str, Any] = json.loads(out, parse_constant=lambda text: pytest.fail(f"{text} in the JSON"))
    return printed


def refused(say: Say, *arguments: object) -> str:
    """The one line by which the command refuses its input."""
    code, out, err = say(*arguments, *FEW)
    assert (code, out) == (2, "")
    assert err.startswith("polibias: ")
    assert err.count("\n") == 1
    return err


def assert_sound(printed: dict[str, Any]) -> None:
    """Every entry has every name; what is missing has a reason; an interval has a width."""
    for name, entry in printed.items():
        assert set(PRINTED) <= set(entry), name
        assert entry["value"] is not None or entry["reason"], name
        for interval in (entry, *entry.get("beside", ())):
            low, high = interval["low"], interval["high"]
            assert (low is None) == (high is None), name
            assert low is not None or interval["reason"], name
            assert low is None or low < high, name
        if entry["low"] is not None:
            assert entry["low"] <= entry["value"] <= entry["high"], name


def assert_clean(text: str) -> None:
    assert not re.search(r"\bnan\b|\binf\b|Traceback", text, re.IGNORECASE)
    assert all(low != high for low, high in re.findall(r"\[(\S+), (\S+)\]", text))


def test_every_name_of_the_contract_for_two_raters(say: Say) -> None:
    printed = found(say, as_csv(rows_of(X, Y)), *LONG)
    assert tuple(printed) == CONTRACT
    assert_sound(printed)
    assert all(entry["n"] == 12 and entry["clusters"] == 12 for entry in printed.values())


def test_three_raters_have_no_mean_difference(say: Say) -> None:
    file = as_csv(rows_of(X, Y, X[::-1]), "three.csv")
    printed = found(say, file, *LONG)
    assert tuple(printed) == tuple(name for name in CONTRACT if name != "mean_difference")
    assert_sound(printed)
    two = [found(say, as_csv(rows_of(*pair)), *LONG)["kappa"]["value"] for pair in ((X, Y), (X, X[::-1]), (Y, X[::-1]))]
    assert printed["kappa"]["value"] == pytest.approx(sum(two) / 3)
    assert "Each two of 3 raters, on average," in say(file, *LONG, *FEW)[1]


def test_all_file_formats_say_the_same(say: Say) -> None:
    rows = rows_of(X, Y)
    expected = found(say, as_csv(rows), *LONG)
    for write in (as_jsonl, as_parquet):
        assert found(say, write(rows), *LONG) == expected
    wide = [{"unit": f"u{n:02d}", "r0": x, "r1": y} for n, (x, y) in enumerate(zip(X, Y, strict=True))]
    for write in (as_csv, as_jsonl, as_parquet):
        assert found(say, write(wide), "--unit", "unit", "--wide", "r0,r1") == expected


@pytest.mark.parametrize("kind", ["uint8", "int16", "float32", "float64", "category", "string"])
def test_column_types_of_parquet(kind: str, say: Say) -> None:
    """Unsigned numbers are not subtracted as such: 0, 1, 0 minus 1, 1, 3 is −4/3 on average."""
    frame = pd.DataFrame(rows_of([0, 1, 0], [1, 1, 3]))
    text = kind in ("category", "string")
    frame["value"] = (frame["value"].astype(str) if text else frame["value"]).astype(kind)  # type: ignore[call-overload]
    frame.to_parquet("r.parquet")
    printed = found(say, "r.parquet", *LONG)
    assert printed["mean_difference"]["value"] == pytest.approx(-4 / 3)


@pytest.mark.parametrize("write", [as_csv, as_jsonl, as_parquet])
def test_words_in_their_declared_order(write: Callable[..., str], say: Say) -> None:
    names = ("low", "mid", "high")
    first, second = [0, 1, 2, 2, 0, 1], [0, 2, 2, 1, 0, 1]
    words = write(rows_of([names[v] for v in first], [names[v] for v in second]))
    printed = found(say, words, *LONG, "--categories", "low,mid,high")
    assert printed == found(say, as_csv(rows_of(first, second), "n.csv"), *LONG, "--categories", "0,1,2")
    assert re.search(
        r"^used +low +mid +high$", say(words, *LONG, *FEW, "--categories", "low,mid,high")[1], re.MULTILINE
    )


def test_half_points(say: Say) -> None:
    halves = ",".join(f"{n / 2:g}" for n in range(7))
    file = as_csv(rows_of([0, 0.5, 1.5, 3], [0, 1, 1.5, 2.5]))
    assert found(say, file, *LONG, "--categories", halves)["kappa_quadratic"]["value"] == pytest.approx(16 / 17)
    assert "the value 0.5 is not on the scale 0, 1, 2, 3" in refused(say, file, *LONG)


def test_only_chosen_rows_and_given_clusters(say: Say) -> None:
    rows = [{**row, "dimension": "framing"} for row in rows_of(X, Y, clusters=4)]
    other = [{**row, "dimension": "omission"} for row in rows_of(Y, X[::-1], clusters=4)]
    file = as_csv([*rows, *other])
    chosen = found(say, file, *LONG, "--where", "dimension=framing", "--cluster", "group")
    assert chosen == found(say, as_csv(rows, "f.csv"), *LONG, "--cluster", "group")
    assert {entry["clusters"] for entry in chosen.values()} == {4}
    assert "all 35 resamples of 4 clusters" in chosen["kappa"]["beside"][0]["method"]
    assert "rates 'u00' twice" in refused(say, file, *LONG)
    said = refused(say, file, *LONG, "--where", "dimension=none")
    assert "no line has dimension=none; the column has framing, omission" in said
    said = refused(say, file, *LONG, "--where", "dimension=framing", "--where", "unit=u99")
    assert "no line has unit=u99; the column has u00, u01, u02, u03, u04, u05, u06, u07 and" in said


def test_a_condition_finds_what_a_guarded_cell_stands_for(say: Say) -> None:
    """An export puts an apostrophe before what a spreadsheet would run."""
    rows = [{**row, "model": "'@x"} for row in rows_of(X, Y)]
    assert found(say, as_csv(rows), *LONG, "--where", "model=@x") == found(say, as_csv(rows_of(X, Y), "f.csv"), *LONG)


def test_clusters_may_be_numbers(say: Say) -> None:
    rows = [{**row, "group": int(row["group"][1:])} for row in rows_of(X, Y)]
    expected = found(say, as_csv(rows), *LONG, "--cluster", "group")
    assert [found(say, write(rows), *LONG, "--cluster", "group") for write in (as_jsonl, as_parquet)] == [expected] * 2


@pytest.mark.parametrize(
    ("level", "title"),
    [
        ("nominal", "; kappa is 0.56"),
        ("ordinal", "; quadratic-weighted kappa is 0.87"),
        ("interval", "; quadratic-weighted kappa is 0.87"),
        ("ratio", "; Krippendorff's alpha for a ratio scale is "),
    ],
)
def test_the_level_chooses_the_headline(level: str, title: str, say: Say) -> None:
    code, out, _ = say(as_csv(rows_of(X, Y)), *LONG, "--level", level, *FEW)
    assert code == 0
    assert title in out.splitlines()[0]


@pytest.mark.parametrize("write", [as_csv, as_jsonl, as_parquet])
def test_missing_ratings(write: Callable[..., str], say: Say) -> None:
    """Empty cells in CSV, null in JSON, null and NaN in Parquet: the unit stays, the rating is missing."""
    file = write(rows_of([*X, None, None], [*Y, 1, None]))
    printed = found(say, file, *LONG)
    assert_sound(printed)
    assert {entry["n"] for entry in printed.values()} == {12}
    whole = found(say, as_csv(rows_of(X, Y), "whole.csv"), *LONG)
    assert printed["kappa"]["value"] == whole["kappa"]["value"]
    text = say(file, *LONG, *FEW)[1]
    assert "Missing: 3 of 28 ratings." in text
    assert_clean(text)


@pytest.mark.parametrize(
    "raters",
    [
        ([1, 1, 1, 1], [1, 1, 1, 1]),
        ([1, 1, 1, 1], [0, 1, 2, 3]),
        ([1, 1, 1, 1], [2, 2, 2, 2]),
        ([1], [1]),
        ([1], [2]),
        ([1, 2], [1, 2]),
        ([None, None], [None, None]),
        ([1, None], [None, 1]),
        ([0, 1, 2, 3, 3], [0, 1, 2, 3, 3]),
    ],
    ids=str,
)
def test_degenerate_ratings_have_reasons(raters: tuple[Sequence[int | None], ...], say: Say) -> None:
    file = as_csv(rows_of(*raters))
    printed = found(say, file, *LONG)
    assert_sound(printed)
    code, text, _ = say(file, *LONG, *FEW)
    assert code == 0
    assert_clean(text)
    assert all(entry["reason"] in text for entry in printed.values())


def test_constant_ratings_and_one_unit_say_why(say: Say) -> None:
    constant = found(say, as_csv(rows_of([1] * 4, [1] * 4)), *LONG)
    assert constant["kappa"]["value"] is None
    assert constant["kappa"]["reason"].startswith("no variation")
    assert constant["exact"]["value"] == 1.0
    assert constant["exact"]["reason"] == "no interval: every cluster gives the same value"
    single = found(say, as_csv(rows_of([1], [2])), *LONG)
    assert single["mean_difference"]["value"] == -1
    assert single["mean_difference"]["reason"] == "no interval: 1 cluster; at least 2 are needed"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(2, 4).flatmap(
        lambda raters: st.lists(st.tuples(*[st.sampled_from([None, 0, 1, 2, 3])] * raters), min_size=1, max_size=8)
    ),
    st.integers(1, 4),
)
def test_any_small_table_gives_values_or_reasons(say: Say, units: list[tuple[int | None, ...]], clusters: int) -> None:
    file = as_jsonl(rows_of(*zip(*units, strict=True), clusters=clusters))
    assert_sound(found(say, file, *LONG, "--cluster", "group"))
    assert_clean(say(file, *LONG, *FEW)[1])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"value": 4}, "the value 4 is not on the scale 0, 1, 2, 3"),
        ({"value": "high"}, "'high' is not a rating; use numbers"),
        ({"value": "1,5"}, "'1,5' is not a rating"),
        ({"value": "nan"}, "'nan' is not a rating"),
        ({"value": "inf"}, "'inf' is not a rating"),
        ({"unit": "u01"}, "rater 'r0' rates 'u01' twice"),
        ({"group": ""}, "unit, rater and cluster must not be empty"),
        ({"rater": ""}, "unit, rater and cluster must not be empty"),
        ({"group": "g9"}, "unit 'u00' lies in two clusters"),
    ],
)
@pytest.mark.parametrize("write", [as_csv, as_jsonl])
def test_bad_rows_are_named_by_line(change: Row, said: str, write: Callable[..., str], say: Say) -> None:
    rows = rows_of(X, Y)
    rows[0] |= change
    file = write(rows)
    error = refused(say, file, *LONG, "--cluster", "group")
    assert said in error
    assert re.search(rf"{re.escape(file)}:\d+: ", error)


@pytest.mark.parametrize(
    ("value", "said"),
    [(True, "'True' is not a rating"), (b"1", "is not a rating"), ([1], "is not a rating"), (2.5, "not on the scale")],
)
def test_bad_values_in_parquet_are_named_by_row(value: object, said: str, say: Say) -> None:
    file = as_parquet([{"unit": f"u{n}", "r0": value, "r1": 1} for n in range(3)])
    error = refused(say, file, "--unit", "unit", "--wide", "r0,r1")
    assert said in error
    assert f"{file}: row 1: " in error


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("unit,rater,value\nu,x,1\nv,x,2\n", LONG, "agreement needs two raters; the file has 1"),
        ("unit,rater,value\n", LONG, "agreement needs two raters; the file has 0"),
        ("", LONG, "agreement needs two raters; the file has 0"),
        ("unit,rater,value\nu,x,1\nu,y,1\n", (*LONG, "--cluster", "topic"), "no column 'topic'; the file has unit"),
        ("unit,rater,value\nu,x,1\nu,y,1\n", (*LONG, "--where", "topic=x"), "no column 'topic'"),
        ("unit,rater,value\nu,x,1\nu,y,1\n", (*LONG, "--where", "topic"), "write it as column=value"),
        ("unit,rater,value\nu,x,1\nu,y,1\n", (*LONG, "--categories", "0"), "at least two different points"),
        ("unit,rater,value\nu,x,1\nu,y,1\n", (*LONG, "--categories", "1,0"), "in ascending order"),
        ("unit,rater,value\nu,x,1\nu,y\n", LONG, "r.csv:3: 2 cells under 3 columns"),
        ("unit,x,x\nu,1,1\n", ("--unit", "unit", "--wide", "x,y"), "two columns have the same name"),
        ("unit,x,y\nu,1,1\n", ("--unit", "unit", "--wide", "x"), "the file has 1"),
        ("unit,x,y\nu,1,1\n", ("--unit", "unit", "--wide", "x,x"), "twice"),
    ],
)
def test_bad_files_are_one_line(text: str, options: tuple[str, ...], said: str, say: Say) -> None:
    Path("r.csv").write_text(text, "utf-8")
    assert said in refused(say, "r.csv", *options)


def test_other_libraries_agree(say: Say) -> None:
    file = as_csv(rows_of(X, Y, X[::-1]))
    code, text, _ = say(file, *LONG, "--cross-check", *FEW)
    assert code == 0
    checked = [line for line in text.splitlines() if ": ours " in line]
    assert len(checked) == 3 + 4 + 6
    assert not [line for line in checked if "DISAGREES" in line]
    printed = found(say, file, *LONG, "--cross-check")
    assert printed["icc_a_1"]["cross_check"]["library"].startswith("pingouin ")
    for entry in printed.values():
        if "cross_check" in entry:
            assert entry["cross_check"]["value"] == pytest.approx(entry["value"], abs=1e-9)


def test_a_disagreement_is_said_and_exits_1(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crosscheck, "_krippendorff", lambda _: {"alpha_ordinal": ("another library", 0.5)})
    file = as_csv(rows_of(X, Y))
    code, text, _ = say(file, *LONG, "--cross-check", *FEW)
    assert code == 1
    assert [line.split(":")[0] for line in text.splitlines() if "DISAGREES" in line] == ["alpha_ordinal"]
    assert say(file, *LONG, "--cross-check", "--json", *FEW)[0] == 1


def test_two_hundred_thousand_ratings(say: Say) -> None:
    count = 100_000
    frame = pd.DataFrame(
        {"unit": [f"u{n}" for n in range(count)], "r0": (X * count)[:count], "r1": (Y * count)[:count]}
    )
    frame.to_parquet("r.parquet")
    printed = found(say, "r.parquet", "--unit", "unit", "--wide", "r0,r1")
    assert_sound(printed)
    assert printed["exact"]["n"] == count
