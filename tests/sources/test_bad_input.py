"""What a person can write wrong: one clear line that names file and place."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from polibias.errors import InputError
from polibias.planning import plan
from polibias.sources.ratings import Columns, Scale, read_ratings, table
from tests.conftest import ITEMS, ROOT, SCRIPTED, polibias, spoil, study_text

COLUMNS = Columns("unit", "rater", "value")
SCALE = Scale((0.0, 1.0, 2.0, 3.0))


def spoil_country(data: Path) -> None:
    spoil(data / "countries" / "pairs.toml", 'a = "iran"', 'a = "irann"')


def spoil_template(data: Path) -> None:
    path = data / "scenarios" / "genocide.toml"
    path.write_text(path.read_text("utf-8").replace("{target}", "Ruritania"), "utf-8")


def spoil_placeholder(data: Path) -> None:
    path = data / "scenarios" / "genocide.toml"
    path.write_text(path.read_text("utf-8").replace("{year}", "{city}"), "utf-8")


def spoil_twice(data: Path) -> None:
    shutil.copy(data / "scenarios" / "genocide.toml", data / "scenarios" / "more.toml")


def spoil_toml(data: Path) -> None:
    spoil(data / "scenarios" / "genocide.toml", "[[template]]", "[[template]")


def spoil_field(data: Path) -> None:
    spoil(data / "countries" / "countries.toml", "possessive =", "genitive =")


def spoil_encoding(data: Path) -> None:
    (data / "prompts" / "tasks.toml").write_bytes(b'title = "caf\xe9"')


def spoil_rubric(data: Path) -> None:
    spoil(data / "rubrics" / "poli-bias.toml", 'id = "severity"', 'id = "framing"')


def spoil_judge_prompt(data: Path) -> None:
    spoil(data / "prompts" / "judge" / "pair.toml", "{prompt_1}", "{promt_1}")


def spoil_fence(data: Path) -> None:
    path = data / "prompts" / "judge" / "pair.toml"
    path.write_text(path.read_text("utf-8").replace("{response_2}", "the other one"), "utf-8")


def spoil_layout(data: Path) -> None:
    spoil(data / "prompts" / "frames.toml", "\n{scenario}\n", "\n")


def spoil_option(data: Path) -> None:
    spoil(data / "rubrics" / "poli-bias.toml", 'one_sided = ["full"]', 'one_sided = ["fully"]')


def spoil_article(data: Path) -> None:
    spoil(data / "scenarios" / "genocide.toml", "the armed forces of {aggressor}", "the {aggressor} army")


def spoil_block(data: Path) -> None:
    spoil(
        data / "countries" / "pairs.toml",
        'category = "active"\nblock = "main"',
        'category = "active"\nblock = "control"',
    )


def spoil_name(data: Path) -> None:
    path = data / "countries" / "countries.toml"
    text = path.read_text("utf-8")
    path.write_text(text.replace('"Ukraine', '"Russia').replace('"Ukraine\'s"', '"Russia\'s"'), "utf-8")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (spoil_judge_prompt, "pair.toml: unknown placeholder {promt_1} in its text"),
        (spoil_fence, "pair.toml: the judge prompt has no {response_2}"),
        (spoil_layout, "frames.toml:4: frame 'official': its text has no {scenario}"),
        (spoil_option, "poli-bias.toml: label 'refusal' counts an option 'fully' that it does not have"),
        (spoil_article, "template 'GEN-KIL-001': it says 'the {aggressor}': no article"),
        (spoil_block, "block 'control' does not fit category 'active'"),
        (spoil_name, "pair 'russia-ukraine', condition 'official': both versions are the same prompt"),
        (spoil_country, "pair 'iran-israel': unknown country 'irann'; did you mean iran"),
        (spoil_template, "template 'GEN-KIL-001': its text has no {target}"),
        (spoil_placeholder, "template 'GEN-KIL-001': unknown placeholder 'city'"),
        (spoil_twice, "template 'GEN-KIL-001': defined twice, first at"),
        (spoil_toml, "genocide.toml: not valid TOML: "),
        (spoil_field, "country 'argentina': Object contains unknown field `genitive`"),
        (spoil_encoding, "tasks.toml: byte 12 is not UTF-8; save the file as UTF-8"),
        (spoil_rubric, "poli-bias.toml: dimension and label ids must be unique"),
    ],
)
def test_spoiled_data_is_named(
    spoil: Callable[[Path], None], said: str, data: Path, write_study: Callable[..., Path], tmp_path: Path
) -> None:
    spoil(data)
    done = polibias("run", write_study(), "--runs", tmp_path / "runs", "--data", data, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            study_text(items=ITEMS.replace("russia-ukraine", "russia-ukrain")),
            "unknown pair 'russia-ukrain'; did you mean",
        ),
        (study_text(items=ITEMS.replace("WC-DIS-001", "WC-DIS-01")), "unknown template 'WC-DIS-01'"),
        (study_text(items=ITEMS.replace("T1", "T9")), "unknown task 'T9'"),
        (study_text(items=ITEMS + ITEMS), "is named twice"),
        (study_text(items=ITEMS.replace('tasks = ["T1"]', "tasks = []")), "the items name nothing to ask"),
        (study_text(models=SCRIPTED.replace("max_tokens = 50", "")), "needs max_tokens"),
        (study_text(models=SCRIPTED.replace("scripted", "telepathy", 1)), "at models number 1"),
        (study_text(models=SCRIPTED.replace('"fake"', '"Fake Model/.."')), "at models number 1.name"),
        (study_text(models=SCRIPTED.split("[[judges]]")[0]), "judges"),
        (study_text(models=SCRIPTED + SCRIPTED), "two models are named 'fake'"),
        (
            study_text().replace('rubric = "poli-bias"', 'rubric = "polibias"'),
            "unknown rubric 'polibias'; did you mean",
        ),
        (study_text().replace("title", "titel", 1), "titel"),
        ("id = 'x", "not valid TOML: "),
        ("id = " + "[" * 5000, "not valid TOML: "),
        ("seed = " + "1" * 5000, "not valid TOML: "),
        (study_text(id="small\\n"), "at id"),
        (study_text() + "[analysis]\nresamples = 100000000\n", "at analysis.resamples"),
    ],
)
def test_wrong_study_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as raised:
        plan(str(path), ROOT / "data")
    assert str(raised.value).startswith(f"{path}: ")
    assert said in str(raised.value)


@pytest.mark.parametrize("url", ["ftp://host/v1", "http://user:secret@host/v1", "http://host/v1?key=secret", "host"])
def test_credentials_and_odd_urls_are_refused_without_being_repeated(url: str, tmp_path: Path) -> None:
    model = f'[[models]]\nadapter = "openai_http"\nname = "m"\nmodel = "x"\nmax_tokens = 5\nurl = "{url}"\n'
    path = tmp_path / "wrong.toml"
    path.write_text(study_text(models=model + SCRIPTED.split("\n\n")[1]), "utf-8")
    with pytest.raises(InputError) as raised:
        plan(str(path), ROOT / "data")
    assert "secret" not in str(raised.value)


def test_unknown_study_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "demo.toml").write_text("", "utf-8")
    done = polibias("run", "dmo", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "polibias: studies/: unknown study 'dmo'; did you mean demo?\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("unit,rater,value\na,x,1\na,x,2\n", ":3: rater 'x' rates 'a' twice"),
        ("unit,rater,value\na,x,low\n", ":2: 'low' is not a rating"),
        ("unit,rater,value\na,x,nan\n", ":2: 'nan' is not a rating"),
        ("unit,rater,value\na,x,inf\n", ":2: 'inf' is not a rating"),
        ("unit,rater,value\n,x,1\n", ":2: unit, rater and cluster must not be empty"),
        ("unit,rater\na,x\n", ":2: no column 'value'; the file has unit, rater"),
        ("unit,rater,value\na,x,1_0\n", ":2: '1_0' is not a rating"),
        ("unit,rater,value\na,x,9\n", ":2: the value 9 is not on the scale 0, 1, 2, 3"),
        ("unit,rater,value\na,x,1,2\n", ":2: 4 cells under 3 columns"),
        ("unit,rater,value\na,x\n", ":2: 2 cells under 3 columns"),
        ("unit,rater,value,value\na,x,1,2\n", ":1: two columns have the same name"),
        ("unit,rater,value\na,x,1\n", ": agreement needs two raters; the file has 1"),
    ],
)
def test_wrong_ratings_are_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as raised:
        table(path, read_ratings(path, COLUMNS, SCALE), SCALE)
    assert str(raised.value).startswith(f"{path}{said}")


def test_missing_ratings_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("unit,rater,value\na,x,1\na,y,\nb,x,0\n", "utf-8-sig")
    found = table(path, read_ratings(path, COLUMNS, SCALE), SCALE)
    assert (found.raters, found.values) == (["x", "y"], [[1.0, None], [0.0, None]])
