"""Damage to the files of a model, adapter or reader never runs code and never changes an answer silently."""

import json
import pickle
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boolattn import DualEncoder, load_encoder
from boolattn.backbones.storage.adapters import save_without_backbone
from boolattn.backbones.storage.checksums import CHECKSUMS_FILE, write_checksums
from boolattn.reading.learned import LearnedReader

EXAMPLES = settings.default.max_examples // 2  # 50; 500 with --hypothesis-profile=search
QUERIES = ["films without war", "war films", "films NOT war"]
VALUES = [None, True, -1, 10**8, 10**400, float("nan"), "war", "modeling_evil.Evil", [], {"a": 1}]


class Touch:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.fixture(scope="module")
def places(tmp_path_factory, start):
    """Return folders, and the expected result of loading each."""
    made = tmp_path_factory.mktemp("saved")
    model = DualEncoder.two_sided(start, rank=2)
    model.save(str(made / "model"))
    save_without_backbone(model, made / "adapter", "nobody/small-bert")
    shutil.copytree(Path(__file__).parents[3] / "weights" / "english", made / "reader")
    return made


def answers(folder, start):
    """Load a folder and return its answers for the queries."""
    if folder.name == "reader":
        return [reading.to_dict() for reading in LearnedReader.load(folder).read(QUERIES)]
    model = DualEncoder(str(folder)) if folder.name == "model" else load_encoder(folder, start)
    return model.encode_query(QUERIES, exclude=[["war"], [], ["war"]]).tobytes()


@pytest.fixture(scope="module")
def expected(places, start):
    return {name: answers(places / name, start) for name in ("model", "adapter", "reader")}


def damage(path, draw):
    """Change a file in one of the ways in which files are damaged, or by hand."""
    content = path.read_bytes()
    kinds = ["remove", "empty", "cut", "flip"] + (["value", "drop"] if path.suffix == ".json" else [])
    kind = draw(st.sampled_from(kinds))
    place = draw(st.integers(0, max(0, len(content) - 1)))
    if kind == "remove":
        path.unlink()
    elif kind in ("empty", "cut"):
        path.write_bytes(content[: place if kind == "cut" else 0])
    elif kind == "flip":
        path.write_bytes(content[:place] + bytes([content[place] ^ (1 << place % 8)]) + content[place + 1 :])
    else:
        values = json.loads(content)
        owner, key = draw(st.sampled_from(list(entries(values))))
        if kind == "drop":
            del owner[key]
        else:
            owner[key] = draw(st.sampled_from(VALUES))
        path.write_text(json.dumps(values))


def entries(values, depth=0):
    """Yield the containers of a JSON value, each with its keys; not the thousands of a vocabulary."""
    keys = list(values) if isinstance(values, dict) else list(range(len(values)))
    for key in keys[:20]:
        yield values, key
        if isinstance(values[key], dict | list) and values[key] and depth < 3:
            yield from entries(values[key], depth + 1)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_a_damaged_folder_is_refused_or_answers_as_before(data, places, expected, start):
    kind = data.draw(st.sampled_from(["model", "model", "adapter", "reader"]))
    folder, ran = places / kind, places / "ran"
    path = data.draw(st.sampled_from(sorted(path for path in folder.rglob("*") if path.is_file())))
    content = path.read_bytes()
    planted = [folder / "modeling_evil.py", path.parent / "pytorch_model.bin"]
    planted[0].write_text(f"open({str(ran)!r}, 'w').close()\n")
    planted[1].write_bytes(pickle.dumps(Touch(ran)))
    try:
        damage(path, data.draw)
        try:
            found = answers(folder, start)
        except (ValueError, OSError) as error:
            assert str(error) and not isinstance(error, UnicodeError), "an error that says nothing"
        else:
            assert found == expected[kind]
        assert not ran.exists()
    finally:
        path.write_bytes(content)
        for each in planted:
            each.unlink()


@pytest.mark.parametrize("name", ["query_0_BooleanTower/boolean_tower.json", "query_1_SignedPooling/config.json"])
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_invalid_settings_are_named_even_if_their_checksum_is_right(name, value, places, expected, start):
    folder = places / "model"
    content = (folder / name).read_text()
    try:
        for key in json.loads(content):
            (folder / name).write_text(json.dumps(json.loads(content) | {key: value}))
            write_checksums(folder)
            try:
                answers(folder, start)
            except ValueError as error:
                assert "damaged" in str(error) or key in str(error) or "no reader" in str(error)
    finally:
        (folder / name).write_text(content)
        write_checksums(folder)


@pytest.mark.parametrize("change", [lambda values: values.clear(), lambda values: values.popitem()])
def test_checksums_that_are_empty_or_incomplete_are_refused(change, places, start):
    path = places / "model" / CHECKSUMS_FILE
    content = path.read_text()
    values = json.loads(content)
    change(values)
    path.write_text(json.dumps(values))
    try:
        with pytest.raises(ValueError, match=f"is not in {CHECKSUMS_FILE}"):
            answers(places / "model", start)
    finally:
        path.write_text(content)


@pytest.mark.parametrize("name", ["sentencepiece.bpe.model", "chat_template.jinja"])
def test_every_file_of_a_tokenizer_has_a_checksum(name, places, start, tmp_path):
    folder = shutil.copytree(places / "model", tmp_path / "model")
    path = folder / "document_0_Transformer" / name
    path.write_bytes(b"as saved")
    write_checksums(folder)
    answers(folder, start)
    path.write_bytes(b"damaged")
    with pytest.raises(ValueError, match=f"{name} .* not the file that was saved"):
        answers(folder, start)


def test_a_file_added_to_a_module_is_refused(places, start):
    added = places / "model" / "document_0_Transformer" / "adapter_config.json"
    added.write_text("{}")
    try:
        with pytest.raises(ValueError, match=r"adapter_config\.json .* is not in"):
            answers(places / "model", start)
    finally:
        added.unlink()
