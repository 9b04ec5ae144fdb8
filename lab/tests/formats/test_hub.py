"""Datasets of the Hub, from the Hub's name, a copied folder, and single files."""

import shutil

import datasets
import pytest
from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import (
    BadRowError,
    BoolQuestion,
    Document,
    NevirPair,
    SkipBad,
    read_boolquestions,
    read_boolquestions_corpus,
    read_nevir,
)

BOOLQUESTIONS = FIXTURES / "boolquestions"
NEVIR = FIXTURES / "nevir"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


def test_boolquestions_from_a_copied_folder():
    first, second = read_boolquestions("MSMARCO", BOOLQUESTIONS)
    assert first == BoolQuestion(
        query_id="m1",
        question="which toys fly but are not kites",
        operator="not",
        positives=("11", "12"),
        negatives=("13",),
    )
    assert second.negatives == ()
    (natural,) = read_boolquestions("NaturalQuestions", BOOLQUESTIONS)
    assert (natural.query_id, natural.operator, natural.positives) == ("7", "and", ("21",))


def test_ids_of_passages_are_those_that_questions_name():
    (question, _) = read_boolquestions("MSMARCO", BOOLQUESTIONS)
    passages = {passage.doc_id: passage for passage in read_boolquestions_corpus("MSMARCO", BOOLQUESTIONS)}
    assert [passages[name].text for name in question.positives] == ["Paper gliders fly.", "Tin planes fly."]
    assert next(read_boolquestions_corpus("NaturalQuestions", BOOLQUESTIONS)) == Document(
        "21", "Galley", "It has sails and oars."
    )


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_single_files(tmp_path, suffix):
    rows = datasets.Dataset.from_json(str(BOOLQUESTIONS / "MSMARCO" / "eval.json"))
    path = tmp_path / f"questions{suffix}"
    (rows.to_json if suffix == ".jsonl" else rows.to_parquet)(str(path))
    assert list(read_boolquestions("MSMARCO", path)) == list(read_boolquestions("MSMARCO", BOOLQUESTIONS))


def test_a_single_json_list():
    path = BOOLQUESTIONS / "MSMARCO" / "eval.json"
    assert list(read_boolquestions("MSMARCO", path)) == list(read_boolquestions("MSMARCO", BOOLQUESTIONS))


def test_nevir_reads_the_requested_split():
    first, second = read_nevir(source=NEVIR)
    assert first == NevirPair(
        q1="Which toy of the test set flies?",
        q2="Which toy does not fly?",
        doc1="The kite flies.",
        doc2="The kite does not fly.",
    )
    assert second.q2 == "Who never sails?"
    (validation,) = read_nevir("validation", NEVIR)
    assert validation.q1 == "Which toy of the validation set flies?"
    assert list(read_nevir(source=str(NEVIR / "test.jsonl"))) == [first, second]


def test_names_are_looked_up_on_the_hub(monkeypatch):
    asked = []

    def load_dataset(*args, **kwargs):
        asked.append((args, kwargs))
        return iter([{"docid": 1, "doc": "a"}])

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    assert list(read_boolquestions_corpus("MSMARCO")) == [Document("1", "", "a")]
    assert asked == [(("ustc-zhangzm/BoolQuestions",), {"name": "MSMARCO-corpus", "split": "corpus"})]


def test_a_missing_path_is_reported():
    with pytest.raises(FileNotFoundError, match="neither a local file or folder nor a dataset"):
        list(read_nevir(source="no/such-place"))


def test_an_unknown_format_lists_the_known_ones(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("q1,q2\n")
    with pytest.raises(ValueError, match=r"pairs\.csv .*\.jsonl, \.json or \.parquet"):
        list(read_nevir(source=path))


def test_a_bad_row_of_a_dataset_is_reported_by_its_number(tmp_path):
    folder = shutil.copytree(BOOLQUESTIONS, tmp_path / "copy")
    questions = folder / "MSMARCO" / "eval.json"
    questions.write_text(questions.read_text().replace('"or"', '"xor"'))
    with pytest.raises(BadRowError, match=r"copy, row 2, field 'question_type': .*'xor'"):
        list(read_boolquestions("MSMARCO", folder))
    skip = SkipBad()
    assert [question.query_id for question in read_boolquestions("MSMARCO", folder, skip)] == ["m1"]
    assert skip.counts == {(str(folder), "question_type"): 1}
