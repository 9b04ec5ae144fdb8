"""Real queries with "and" and "or": which are chosen, how two searches are compared, and what is judged."""

import json
import re

import pytest
import typer
import zstandard
from typer.testing import CliRunner

from boolattn.backbones.storage.model_names import load_encoder
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from boolattn_lab.benchmarks.operators_harm import sample
from boolattn_lab.benchmarks.operators_harm.judging import JUDGED, changed_in_view, letter_of_whole, write_pairs
from boolattn_lab.benchmarks.operators_harm.overlap import Hits, Overlap, index_introductions, overlaps, search_both
from boolattn_lab.benchmarks.operators_harm.sample import SOURCES, choose_introductions, choose_queries, has_operator
from boolattn_lab.benchmarks.systems import DenseRetriever
from boolattn_lab.cli.bench_harm import operators_harm
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.hashed_labels import digest
from boolattn_lab.formats.records import Document

PAGES = {
    "Guns": "A comedy western about two clumsy gunfighters.",
    "Dusty Trail": "A western about a long cattle drive.",
    "The Jester": "A comedy about a court jester who loses his voice.",
    "Night of Fear": "A horror film about a haunted lighthouse.",
}
ASKED = ["comedies and westerns", "jester or gunfighter", "horror & fear"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))
    others = ["brandy", "R&D", "guns, horses, cattle", "an orange"]
    for name in ("real-queries", "web-queries", "shop"):
        write(tmp_path / name / "queries.jsonl.zst", [{"query": query} for query in [*ASKED, *others, ASKED[0]]])
    pages = [{"title": title, "text": text} for title, text in PAGES.items()]
    write(tmp_path / "wiki-intros" / "wiki_intros.jsonl.zst", [*pages, pages[0]])
    return DataFolder(tmp_path)


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zstandard.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("salt and pepper", True), ("tea OR coffee", True), ("H & M", True), ("yes and/or no", True),
        ("brandy", False), ("oregon", False), ("R&D", False), ("salt, pepper", False), ("this andthat", False),
    ],
)  # fmt: skip
def test_an_operator_is_a_word_of_its_own(query, expected):
    assert has_operator(query) == expected


def test_queries_are_chosen_by_hash_and_each_once(data, monkeypatch):
    chosen = choose_queries(data)
    assert list(chosen) == list(SOURCES)
    assert chosen["shop searches"] == chosen["web searches"] == sorted(ASKED, key=digest)
    assert chosen["real questions, only commas"] == ["guns, horses, cattle"]
    fewer = {name: source._replace(most=2) for name, source in SOURCES.items()}
    monkeypatch.setattr(sample, "SOURCES", fewer)
    assert choose_queries(data)["web searches"] == sorted(ASKED, key=digest)[:2]


def test_introductions_are_chosen_by_hash_of_the_title_and_each_once(data):
    chosen = [each.doc_id for each in choose_introductions(data, 3)]
    assert chosen == sorted(PAGES, key=digest)[:3]
    assert len(choose_introductions(data)) == len(PAGES)


def test_figures_can_be_computed_by_hand():
    found = [
        Hits("same", ["a", "b"], ["a", "b"]),
        Hits("another order", ["a", "b"], ["b", "a"]),
        Hits("one other", ["a", "b"], ["a", "c"]),
        Hits("nothing in common", ["a", "b"], ["c", "d"]),
    ]
    assert Overlap.of(found) == Overlap(4, overlap=0.625, changed=0.75, other_hits=0.5, other_first=0.5)
    with pytest.raises(ValueError, match="no queries"):
        Overlap.of([])


def test_a_query_that_excludes_something_changes_and_a_simple_one_does_not(data, minilm_folder):
    dense = DenseRetriever("MiniLM", load_encoder(str(minilm_folder)))
    index = index_introductions(dense, choose_introductions(data))
    assert index.describe().documents == "pages" and index.fetch(["Guns"]).titles == ["Guns"]
    queries = {"excluding": ["westerns, but not about cattle"], "simple": ["a haunted lighthouse"]}
    for way, found in overlaps(dense, index, queries).items():
        [excluding], [simple] = found["excluding"], found["simple"]
        assert simple.plain == simple.whole and simple.plain[0] == "Night of Fear", way
        assert excluding.plain != excluding.whole, way
        assert excluding.plain.index("Dusty Trail") < excluding.whole.index("Dusty Trail"), way


def test_what_an_index_has_is_not_written_again(data, minilm_folder):
    dense = DenseRetriever("MiniLM", load_encoder(str(minilm_folder)))
    index = index_introductions(dense, choose_introductions(data))
    index.upsert = None  # must not be called again
    assert index_introductions(dense, choose_introductions(data), index).count() == len(PAGES)


def test_both_searches_get_the_same_query(data, minilm_folder):
    dense = DenseRetriever("MiniLM", load_encoder(str(minilm_folder)))
    index = index_introductions(dense, choose_introductions(data))
    words = Searcher(dense.queries, index, settings=SearchSettings(plan=False, text=True))
    for found in search_both(words, words, ASKED):
        assert found.plain == found.whole and len(found.plain) == len(PAGES)


def test_only_changes_among_the_first_five_are_judged_and_at_most_fifty():
    below = Hits("changed below", list("abcdef"), list("abcdeg"))
    changed = [Hits(f"query {number}", list("abcde"), list("bacde")) for number in range(JUDGED + 9)]
    found = changed_in_view([below, *changed])
    assert found == sorted(changed, key=lambda each: digest(each.query))[:JUDGED]


def test_judges_do_not_see_which_list_is_which(tmp_path):
    documents = {name: Document(name, f"Title {name}", f"Text {name}. " + "word " * 100) for name in "abcdefgh"}
    pairs = [Hits(f"query {number}", list("abcdef"), list("hgfedc")) for number in range(20)]
    key = json.loads(write_pairs(pairs, documents, tmp_path / "judge.md").read_text())
    written = (tmp_path / "judge.md").read_text()
    assert "plain" not in written and "whole" not in written and "Title f**" in written
    assert set(key.values()) == {"A", "B"}, "not always on the same side"
    blocks = written.split("## ")[1:]
    for number, (block, pair) in enumerate(zip(blocks, pairs, strict=True), 1):
        assert block.startswith(f"{number}. {pair.query}\n") and block.rstrip().endswith("verdict:")
        lists = dict(re.findall(r"^([AB]):\n((?:\d\..*\n)+)", block, re.MULTILINE))
        titles = {name: re.findall(r"Title (\w)\*\*", text) for name, text in lists.items()}
        whole = key[str(number)]
        assert whole == letter_of_whole(pair.query)
        assert titles.pop(whole) == list("hgfed") and list(titles.values()) == [list("abcde")]
    assert max(map(len, written.splitlines())) < 230, "texts are cut"


def test_the_command_prints_every_source_and_writes_what_to_judge(data, minilm_folder, tmp_path):
    program = typer.Typer()
    program.command()(operators_harm)

    def run(*more):
        arguments = ["--data", str(data.path), "--model", str(minilm_folder), *more]
        done = CliRunner().invoke(program, arguments, env={"COLUMNS": "250"})
        assert done.exit_code == 0, done.output
        return done.stdout

    found = json.loads(run("--json", "--changed", str(tmp_path / "judge.md"), "--keep", str(tmp_path / "kept")))
    assert (found["benchmark"], found["documents"], list(found["ways"])) == (
        "operators-harm", len(PAGES), ["vectors", "hybrid"],
    )  # fmt: skip
    for rows in found["ways"].values():
        assert list(rows) == list(SOURCES)
        assert {each["queries"] for each in rows.values()} == {len(ASKED), 1}
        assert all(0 <= each["overlap"] <= 1 for each in rows.values())
    assert (tmp_path / "judge.md").is_file() and (tmp_path / "judge.md.key.json").is_file()
    assert any((tmp_path / "kept").iterdir())
    assert all(source in run() for source in SOURCES)
