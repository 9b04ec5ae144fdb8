"""LanceDB's errors are reported with their cause, and never with advice to remove anything."""

import subprocess
import sys
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from boolattn.cli import app
from boolattn.retrieval.index.lance.table import LanceFilesError, explained
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import WrongIndexError
from tests.retrieval.index.films import DESCRIPTION, films

FULL_DISK = """
import sys
from pathlib import Path
from boolattn.retrieval.index.open_index import open_index
from tests.retrieval.index.films import DESCRIPTION, films
index = open_index(f"lance://{sys.argv[1]}/films")
index.create(DESCRIPTION)
index.upsert(films(["a"]))
try:
    for number in range(100):
        index.upsert(films([f"{number}/{n}" for n in range(500)], texts=["x" * 500] * 500))
except OSError as error:
    print(error, index.fetch(["a"]).ids)
try:
    with open(f"{sys.argv[1]}/rest", "wb", buffering=0) as rest:
        while rest.write(bytes(4096)):
            pass
except OSError:
    pass
try:
    index.upsert(films(["b"]))
except OSError as error:
    print(error, index.fetch(["a", "b"]).ids, *sorted(path.name for path in Path(sys.argv[1]).iterdir()))
"""


def test_a_full_disk(tmp_path):
    mounted = f"mount -t tmpfs -o size=3m none {tmp_path} && exec {sys.executable} -c '{FULL_DISK}' {tmp_path}"
    ran = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", mounted],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert ran.stdout.count("/films: the disk is full. Free some space and run this again") == 2, ran
    assert "['a']\n" in ran.stdout and "remove" not in ran.stdout.lower()
    assert ran.stdout.endswith("['a'] films.lance rest\n"), "no lock is left"


def test_an_unknown_error_does_not_advise_removing_anything():
    class Index:
        uri = "lance://films"

        @explained
        def fail(self):
            raise RuntimeError("the moon is full, /rustc/library.rs:7")

    with pytest.raises(LanceFilesError, match=r"lance://films: LanceDB failed. Nothing was removed.*moon is full\)$"):
        Index().fail()


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_named(index_uri, number):
    index, rows = open_index(index_uri), films(["a", "b", "c"])
    index.create(DESCRIPTION)
    rows.vectors[1, 2] = number
    with pytest.raises(ValueError, match=r"document 'b' has a vector with NaN or infinite numbers \(.*1 of 3\)"):
        index.upsert(rows)
    assert index.count() == 0
    index.upsert(films(["a", "b", "c"]))
    with pytest.raises(ValueError, match="query's vector has NaN or infinite"):
        index.search(rows.vectors[1], 2)
    with pytest.raises(ValueError, match="dimension 4"):
        index.search(np.ones(5, np.float32), 2)


def test_a_table_not_created_by_boolattn_is_not_dropped(tmp_path):
    database = lancedb.connect(tmp_path)
    database.create_table("theirs", pa.table({"id": ["a"]}))
    for call in (["drop", "--yes"], ["search", "anything"]):
        ran = CliRunner().invoke(app, [*call, "--index", f"lance://{tmp_path}/theirs"])
        assert ran.exit_code == 2 and "was not created by boolattn" in " ".join(ran.output.replace("│", " ").split())
    with pytest.raises(WrongIndexError):
        open_index(f"lance://{tmp_path}/theirs").drop()
    assert database.open_table("theirs").count_rows() == 1


def test_a_mistyped_address_creates_no_folder(tmp_path):
    index = open_index(f"lance://{tmp_path}/indxe/films")
    for ask in (index.describe, index.count, lambda: index.search(np.ones(4, np.float32), 1)):
        with pytest.raises(WrongIndexError, match="there is no index"):
            ask()
    index.drop()
    assert list(tmp_path.iterdir()) == []
