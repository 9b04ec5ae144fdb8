"""``boolattn-lab bench reading-length``."""

import json

import pytest
from typer.testing import CliRunner

from boolattn.reading import limits
from boolattn_lab.cli import app
from boolattn_lab.costs import reading_length
from boolattn_lab.costs.reading_length import exponent_of, repeated


@pytest.mark.parametrize("power", [1, 2])
def test_the_exponent_is_fitted(power):
    sizes = [1024 * 2**step for step in range(8)]
    assert exponent_of({size: 1e-6 * size**power for size in sizes}) == pytest.approx(power)
    assert exponent_of(dict.fromkeys(sizes, 1e-6)) is None, "too short to be measured"


def test_a_quadratic_reader_is_noticed(monkeypatch):
    def quadratic(text):
        return [sum(range(len(text) // 4)) for _ in range(len(text) // 16)]

    monkeypatch.setattr(reading_length, "READERS", {"quadratic": quadratic})
    monkeypatch.setattr(reading_length, "SHAPES", {"a": "a"})
    [found] = reading_length.measure_lengths(16 * 1024)
    assert found.exponent > 1.4  # a linear one would have 1


def test_the_command(monkeypatch):
    monkeypatch.setattr(reading_length, "SHAPES", {"not": "not ", "nested": "(a OR "})
    done = CliRunner().invoke(app, ["bench", "reading-length", "--largest", "4096", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {(each["reader"], each["shape"]) for each in found["at_limit"]} == {
        (reader, shape) for reader in ("rules", "learned") for shape in ("not", "nested")
    }
    assert {each["reader"] for each in found["without_limits"]} == {"rules", "learned", "syntax", "caller", "screen"}
    assert all(list(each["seconds"]) == ["1024", "2048", "4096"] for each in found["without_limits"])
    assert limits.LONGEST_QUERY == 4096, "limits are back"
    table = CliRunner().invoke(app, ["bench", "reading-length", "--largest", "4096"])
    assert table.exit_code == 0 and "exponent" in table.stdout


def test_texts_have_the_length_asked_for():
    assert repeated("abc", 7) == "abcabca"
