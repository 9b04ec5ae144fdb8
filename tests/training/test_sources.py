import re
from itertools import product
from pathlib import Path

import pytest

from boolattn.data.folder import DataFolder
from boolattn.training import sources
from boolattn.training.recipes import DataSettings, RecipeError
from boolattn.training.sources import SOURCES, TrainingData, load_training_data
from boolattn.training.validation import validation_documents, validation_of
from tests.training import small

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")


def _load(data, source, **settings):
    return load_training_data(data, DataSettings(source=source, **settings), seed=0)


def test_setbert_has_one_file_per_operator(data):
    found = _load(data, "setbert", queries=5)
    assert [next(iter(example.question.operators)) for example in found.train] == ["and"] * 5 + ["or"] * 5 + ["not"] * 5
    assert found.documents is None


@pytest.mark.parametrize("source", ["films", "quest", "boolquestions"])
def test_answers_are_documents(data, source):
    found = _load(data, source, queries=6, validation_queries=3)
    assert len(found.train) == 6
    assert 0 < len(found.validation) <= 3
    for example in [*found.train, *found.validation]:
        assert set(example.positives) <= found.documents.keys()
    texts = [example.question.text for example in found.train]
    assert not set(texts) & {example.question.text for example in found.validation}


def test_the_answers_of_generated_queries_are_the_films_they_ask_for(data):
    found = _load(data, "films", queries=20, validation_queries=0)
    assert found.validation == []
    for example in found.train:
        assert all(found.documents[key].split(".")[0].endswith(f" {key}") for key in example.positives)  # "... 17"


def test_validation_queries_tell_their_operators_where_gates_are_given(data):
    found = _load(data, "quest", validation_queries=2)
    given, learned = (
        validation_of(small.recipe("finetune", "x", "quest", training={"gates": gates}), found)
        for gates in ("given", "learned")
    )
    assert [query.operators for query in given.queries] == [{"not"}, {"not"}]
    assert not hasattr(learned.queries[0], "operators")
    assert given.corpus == list(found.documents.values())


def test_validation_may_be_over_fewer_documents_but_never_without_an_answer():
    documents = {str(n): f"text {n}" for n in range(50)}
    recipe = small.recipe("finetune", "x", "quest", data={"validation_documents": 7})
    chosen = validation_documents(recipe, documents, {"3", "4"})
    assert len(chosen) == 9
    assert {"3", "4"} <= chosen.keys()
    assert validation_documents(recipe, documents, {"3", "4"}) == chosen
    assert len(validation_documents(small.recipe("finetune", "x", "quest"), documents, {"3"})) == 50


@pytest.mark.parametrize(
    "source",
    ["setbert", "film-sentences", "debian-sentences", "quest", "quest-partial", "boolquestions", "reading"],
)
def test_a_source_that_cannot_leave_out_what_excludes_nothing_says_so(data, source):
    with pytest.raises(RecipeError, match=f"'{source}'.*films, debian, films-pages-passages"):
        _load(data, source, excluding=True)


def test_a_source_of_ones_own_is_told_what_the_recipe_asks(data, monkeypatch):
    monkeypatch.setitem(SOURCES, "mine", lambda data, settings, seed: TrainingData([settings.excluding]))
    assert _load(data, "mine", excluding=True).train == [True]


def test_the_documented_source_of_ones_own_does_what_the_recipe_asks(monkeypatch, tmp_path):
    monkeypatch.setattr(sources, "SOURCES", dict(SOURCES))
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], {"__name__": "my_catalog"})
    kinds, places = ["comedy", "western", "horror", "war", "romance"], ["Italy", "Japan", "Brazil", "Norway"]
    rows = [f"{n},{a}|{b},{place},A film." for n, (a, b, place) in enumerate(product(kinds, kinds, places))]
    (tmp_path / "films.csv").write_text("\n".join(["id,genre,place,text", *rows]))
    found = _load(DataFolder(tmp_path), "my-catalog", queries=20, excluding=True, validation_queries=5)
    assert (len(found.train), len(found.validation), len(found.documents)) == (20, 5, 100)
    assert all(example.unwanted and set(example.positives) <= found.documents.keys() for example in found.train)


def test_what_is_not_there_is_named(data, tmp_path):
    with pytest.raises(RecipeError, match="no source 'quets'; there are setbert"):
        _load(data, "quets")
    with pytest.raises(FileNotFoundError, match=r"setbert needs .*and\.jsonl"):
        _load(DataFolder(tmp_path), "setbert")


@pytest.mark.parametrize("source", SOURCES)
def test_the_documentation_has_every_file_that_may_be_missing(source, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"'The data folder' in docs/training\.md") as error:
        _load(DataFolder(tmp_path), source)
    missing = re.search(rf"{tmp_path}/([^\s:]+)", str(error.value))[1]
    assert f"`{missing}" in PAGE


def test_the_documentation_has_every_file_of_a_data_folder(data):
    for path in data.path.rglob("*.jsonl*"):
        name = str(path.relative_to(data.path))
        assert f"`{name}`" in PAGE or name.startswith("boolquestions/MSMARCO/")  # as the hub has it
