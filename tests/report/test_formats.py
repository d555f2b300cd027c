"""Tables for other programs: the same figures in every format, typed, and findings that fit their schema."""

import copy
import csv
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pyarrow import parquet

from polibias.analysis.findings import Findings
from polibias.records.manifest import manifest_hash
from polibias.records.runs import Run
from polibias.report.formats import CSV_COLUMNS, findings_schema


@pytest.fixture
def findings(sealed_run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((sealed_run.report / "findings.json").read_text("utf-8"))
    return found


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def test_every_table_has_every_format_and_the_page_lists_them(sealed_run: Run, findings: dict[str, Any]) -> None:
    index = (sealed_run.report / "index.html").read_text("utf-8")
    names = {f"{table['id']}.{ending}" for table in findings["tables"] for ending in ("csv", "tex", "parquet")}
    assert {path.name for path in (sealed_run.report / "tables").iterdir()} == names
    assert {name for name in names if f'href="tables/{name}"' in index} == names
    for name in ("findings.json", "findings.schema.json"):
        assert f'href="{name}"' in index


def test_parquet_holds_what_the_csv_holds_with_types(sealed_run: Run, findings: dict[str, Any]) -> None:
    for table in findings["tables"]:
        place = sealed_run.report / "tables" / table["id"]
        found = parquet.read_table(place.with_suffix(".parquet"))
        written = rows(place.with_suffix(".csv"))
        read = found.to_pylist()
        assert len(read) == len(written) == len(table["rows"]) * len(table["columns"])
        for one, other in zip(read, written, strict=True):
            for name in (*table["keys"], *CSV_COLUMNS):
                value = one[name]
                assert other[name] == ("" if value is None else value if isinstance(value, str) else repr(value))
        cells = [row["cells"][column["id"]] for row in table["rows"] for column in table["columns"]]
        assert [json.loads(one["where"]) for one in read] == [cell["where"] for cell in cells]
        types = {field.name: str(field.type) for field in found.schema}
        assert {types[name] for name in ("value", "low", "high", "detectable", "effective_n")} == {"double"}
        assert {types["n"], types["clusters"]} == {"int64"}
        about = {key.decode(): value.decode() for key, value in found.schema.metadata.items()}
        assert (about["manifest"], about["table"]) == (manifest_hash(sealed_run.folder), table["id"])


def test_latex_has_a_line_for_every_row(sealed_run: Run, findings: dict[str, Any]) -> None:
    for table in findings["tables"]:
        text = (sealed_run.report / "tables" / f"{table['id']}.tex").read_text("utf-8")
        body = text.partition("\\midrule\n")[2].partition("\\bottomrule")[0]
        assert body.count(r"\\") == len(table["rows"])
        assert text.count(r"\begin") == text.count(r"\end") == 2


def test_findings_fit_the_schema_that_lies_beside_them(sealed_run: Run, findings: dict[str, Any]) -> None:
    schema = json.loads((sealed_run.report / "findings.schema.json").read_text("utf-8"))
    assert schema == json.loads(json.dumps(findings_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(findings, schema)
    assert set(schema["$defs"]["Findings"]["properties"]) == set(Findings.__struct_fields__)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("no value and no reason", {"value": None, "reason": ""}),
        ("half an interval", {"low": 1.0, "high": None}),
        ("a count that is none", {"n": 1.5}),
        ("a field that nobody knows", {"p": 0.05}),
        ("a value that is a text", {"value": "3"}),
    ],
)
def test_the_schema_refuses(name: str, change: dict[str, Any], findings: dict[str, Any]) -> None:
    changed = copy.deepcopy(findings)
    cells = changed["tables"][0]["rows"][0]["cells"]
    next(iter(cells.values())).update(change)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(changed, findings_schema())


def test_no_table_says_not_a_number(sealed_run: Run) -> None:
    for path in (sealed_run.report / "tables").iterdir():
        if path.suffix != ".parquet":
            assert not re.search(r"\b(nan|inf|None)\b", path.read_text("utf-8")), path
