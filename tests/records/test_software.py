"""A run says what it was made with."""

import platform
from importlib import metadata

from polibias import __version__
from polibias.records.documents import read_named
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.software import software


def test_a_run_names_python_and_every_package(sealed_run: Run) -> None:
    found = read_named(sealed_run.study, STUDY_TAG)["software"]
    assert (found["polibias"], found["python"]) == (__version__, platform.python_version())
    assert found["packages"] == {name: metadata.version(name) for name in found["packages"]}
    assert {"numpy", "msgspec", "markupsafe"} <= found["packages"].keys()


def test_what_only_developers_need_is_not_among_them() -> None:
    assert not {"pytest", "ruff", "hypothesis", "polibias"} & software()["packages"].keys()
