"""Plans of everyday queries beside plans written by hand."""

import json

import pytest
from typer.testing import CliRunner

from boolattn.reading.caller import labelled_reading
from boolattn.reading.reading import Reading
from boolattn.reading.spans import Span
from boolattn.reading.syntax import parse
from boolattn_lab.benchmarks.plan_scores import LabelledPlan, labelled_plans, meaning, plan_scores
from boolattn_lab.cli import app


def test_labels_are_plans_of_words_in_their_queries():
    rows = labelled_plans()
    assert len({row.query for row in rows}) == len(rows) >= 300
    assert sum(not row.plan for row in rows) >= 80
    for row in rows:
        for atom in parse(row.plan).atoms if row.plan else ():
            assert atom.text.lower() in row.query.lower(), row.query


@pytest.mark.parametrize(
    ("first", "second", "same_meaning", "same_atoms"),
    [
        ("soup AND (beans OR rice)", "(rice OR beans) AND soup", True, True),
        ("hotel in Rome AND pool", "hotel AND Rome AND pool", True, False),
        ("soup AND (beans OR rice)", "soup with beans OR rice", False, False),
        ("soup NOT beans", "soup AND beans", False, False),
        ("soup NOT green beans", "soup NOT green NOT beans", False, False),
    ],
)
def test_what_counts_as_the_same(first, second, same_meaning, same_atoms):
    first, second = parse(first).condition, parse(second).condition
    assert (meaning(first, by_words=True) == meaning(second, by_words=True)) == same_meaning
    assert (meaning(first) == meaning(second)) == same_atoms


class _Marks:
    """Marks every "or", and nothing else."""

    name = "marks 1"

    def read(self, queries):
        return [self._read(query) for query in queries]

    def _read(self, query):
        place = query.find(" or ") + 1
        if not place:
            return Reading.plain(query, "rules", self.name)
        return labelled_reading(query, ["or"], {"or": (Span(place, place + 2),)}, {})


def test_scores_can_be_counted_by_hand():
    rows = [
        LabelledPlan("soup with beans or rice", "soup AND (beans OR rice)"),
        LabelledPlan("soup with beans and rice", "soup AND beans AND rice"),
        LabelledPlan("soup, no rice", "soup NOT rice"),
        LabelledPlan("tea or coffee table", ""),
        LabelledPlan("chicken and rice", ""),
    ]
    scores = plan_scores(rows, _Marks())
    assert (scores.conditions, scores.found, scores.same_meaning, scores.same_atoms) == (3, 1, 2, 1)
    assert (scores.look_alikes, scores.made_conditions) == (2, 1)


def test_the_shipped_reader_keeps_what_alternatives_share():
    found = CliRunner().invoke(app, ["bench", "plans", "--json"])
    assert found.exit_code == 0, found.output
    scores = json.loads(found.stdout)["measures only"]
    assert scores["same_meaning"] >= 0.95 * scores["conditions"]
    assert scores["made_conditions"] <= 0.03 * scores["look_alikes"]
