import json
import re
import shutil
from itertools import product
from pathlib import Path

import pytest
import zstandard
from lab.tests.paper import small

from boolattn_lab.formats.catalogs import read_films
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.paper import sources
from boolattn_lab.paper.recipes import DataSettings, RecipeError
from boolattn_lab.paper.sources import SOURCES, TrainingData, load_training_data
from boolattn_lab.paper.validation import validation_documents, validation_of

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


def test_answers_of_generated_queries_are_the_matching_films(data):
    found = _load(data, "films", queries=20, validation_queries=0)
    assert found.validation == []
    for example in found.train:
        assert all(found.documents[key].split(".")[0].endswith(f" {key}") for key in example.positives)  # "... 17"


def test_validation_queries_carry_their_operators_if_gates_are_given(data):
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
def test_a_source_that_cannot_skip_queries_without_exclusions_is_reported(data, source):
    with pytest.raises(RecipeError, match=f"'{source}'.*films, debian, films-pages-passages"):
        _load(data, source, excluding=True)


def test_a_custom_source_gets_the_recipes_settings(data, monkeypatch):
    monkeypatch.setitem(SOURCES, "mine", lambda data, settings, seed: TrainingData([settings.excluding]))
    assert _load(data, "mine", excluding=True).train == [True]


def test_the_documented_custom_source_follows_the_recipe(monkeypatch, tmp_path):
    monkeypatch.setattr(sources, "SOURCES", dict(SOURCES))
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], {"__name__": "my_catalog"})
    kinds, places = ["comedy", "western", "horror", "war", "romance"], ["Italy", "Japan", "Brazil", "Norway"]
    rows = [f"{n},{a}|{b},{place},A film." for n, (a, b, place) in enumerate(product(kinds, kinds, places))]
    (tmp_path / "films.csv").write_text("\n".join(["id,genre,place,text", *rows]))
    found = _load(DataFolder(tmp_path), "my-catalog", queries=20, excluding=True, validation_queries=5)
    assert (len(found.train), len(found.validation), len(found.documents)) == (20, 5, 100)
    assert all(example.unwanted and set(example.positives) <= found.documents.keys() for example in found.train)


def test_missing_files_are_named(data, tmp_path):
    with pytest.raises(RecipeError, match="no source 'quets'; choose from setbert"):
        _load(data, "quets")
    with pytest.raises(FileNotFoundError, match=r"setbert needs .*and\.jsonl"):
        _load(DataFolder(tmp_path), "setbert")


@pytest.mark.parametrize("source", SOURCES)
def test_the_documentation_has_every_file_that_may_be_missing(source, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"'The data folder' in lab/docs/training\.md") as error:
        _load(DataFolder(tmp_path), source)
    missing = re.search(rf"{tmp_path}/([^\s:]+)", str(error.value))[1]
    assert f"`{missing}" in PAGE


def test_the_documentation_has_every_file_of_a_data_folder(data):
    for path in data.path.rglob("*.jsonl*"):
        name = str(path.relative_to(data.path))
        assert f"`{name}`" in PAGE or name.startswith("boolquestions/MSMARCO/")  # as the hub has it


def test_films_and_quest_make_one_corpus(data, tmp_path):
    shutil.copytree(data.path, tmp_path / "data")
    folder = DataFolder(tmp_path / "data")
    pages = (data.path / "quest" / "documents.jsonl").read_bytes()
    (folder.path / "wiki-intros" / "wiki_intros.jsonl.zst").write_bytes(zstandard.compress(pages))
    films = read_films(folder.path / "films" / "films.jsonl.zst")
    titles = list(dict.fromkeys(film.href.replace("_", " ") for film in films))[:3]
    asked = {"query": "some films", "docs": titles, "metadata": {"template": "_", "domain": "films"}}
    few = asked | {"query": "too few", "docs": ["kites Peru", "kites Chad", "nowhere"]}
    with (folder.path / "quest" / "train.jsonl").open("a") as file:
        file.write("".join(json.dumps(row | {"original_query": None, "scores": None}) + "\n" for row in (asked, few)))
    found = _load(folder, "films-quest", queries=5, validation_queries=3, maximum_answers=20)
    assert len(set(found.documents.values())) == len(found.documents), "a film that answers QUEST is there once"
    generated, quest = found.train[:10], found.train[10:]
    assert all(len(each.positives) <= 20 and each.positives[0].startswith("films:") for each in generated)
    assert [each.question.text for each in quest][-1] == "some films" and len(quest) == 9
    assert all(identifier.startswith("films:") for identifier in quest[-1].positives)
    assert {each.partition(":")[0] for each in quest[0].positives} == {"quest"}
    assert all(set(each.positives) <= set(found.documents) for each in (*found.train, *found.validation))


def test_generated_queries_may_have_a_separate_seed(data):
    def texts(recipe_seed, seed=None):
        found = load_training_data(
            data, DataSettings(source="films", queries=5, validation_queries=0, seed=seed), recipe_seed
        )
        return [example.question.text for example in found.train]

    assert texts(1, 0) == texts(2, 0) == texts(0) != texts(1)


def test_only_generated_queries_can_be_limited_by_answers(data):
    with pytest.raises(RecipeError, match="maximum_answers limits generated queries, and source 'quest' has none"):
        load_training_data(data, DataSettings(source="quest", maximum_answers=5), 0)
