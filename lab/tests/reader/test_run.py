"""Training, exporting, and reading with the exported reader."""

import dataclasses
import json
import os
import pickle
import signal
import time

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from boolattn.reading.learned import MODEL_FILE, LearnedReader, ReaderCard, ReaderFileError, token_batch
from boolattn_lab.cli import app
from boolattn_lab.paper.recipes import RecipeError
from boolattn_lab.reader.export import export_reader
from boolattn_lab.reader.recipe import load_reader_recipe
from boolattn_lab.reader.run import WEIGHTS_FILE, tokenizer_of, train_reader, uncalibrated
from boolattn_lab.reader.sources import HELD_OUT, kinds
from tests.forked import Forked, run_python

QUERIES = ["birds that cannot fly", "laptops, no touchscreen please", "cats", "a or b"]
TRAIN = """
from pathlib import Path
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.reader import run
from boolattn_lab.reader.recipe import ReaderRecipe
run.SAVE_STEPS = 2
recipe = ReaderRecipe(**{recipe})
run.train_reader(recipe, DataFolder(Path("nowhere")), Path({out!r}))
"""


@pytest.fixture(scope="module")
def trained(start, tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    recipe = out / "small.toml"
    recipe.write_text(
        f'name = "small"\nversion = "7"\nstart = {json.dumps(start)}\nlayers = 2\nepochs = 3\nbatch_size = 8\n'
        "learning_rate = 1e-3\nhead_learning_rate = 1e-2\n[sources]\nkinds = 0.1\n"
    )
    arguments = ["train", "reader", str(recipe), "--data", str(out), "--out", str(out / "out")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return out / "out" / "reader"


def test_the_command_writes_a_reader_that_reads(trained):
    reader = LearnedReader.load(trained)
    readings = reader.read(QUERIES)
    assert [reading.query for reading in readings] == QUERIES
    assert {reading.reader for reading in readings} == {"small 7"} == {reader.name}
    assert {reading.source for reading in readings} == {"learned"}
    assert reader.read([]) == []
    assert reader.read(["", "  "])[1].operators == frozenset()


def test_the_card_says_how_well_eight_bits_agree_with_torch(trained):
    compared = LearnedReader.load(trained).card.training["int8"]
    assert compared["queries"] > 300 and 0.9 < compared["kinds"] <= 1 and 0.9 < compared["tokens"] <= 1


def test_each_query_is_read_independently(trained):
    reader = LearnedReader.load(trained)
    together = reader.read(QUERIES)
    for query, reading in zip(QUERIES, together, strict=True):
        (alone,) = reader.read([query])
        assert alone.operators == reading.operators and alone.scopes == reading.scopes


def test_a_reader_can_be_pickled(trained):
    reader = LearnedReader.load(trained)
    assert pickle.loads(pickle.dumps(reader)).read(QUERIES) == reader.read(QUERIES)


def test_eight_bits_agree_with_torch(start, recipe, nowhere, tmp_path):
    network, tokenizer = train_reader(recipe, nowhere, tmp_path / "run"), tokenizer_of(recipe)
    export_reader(network, tokenizer, ReaderCard("small", "0", uncalibrated(recipe)), tmp_path / "reader")
    batch = token_batch(tokenizer, [row.query for row in kinds(nowhere)][:64])
    with torch.inference_mode():
        of_query, of_tokens = network(*map(torch.from_numpy, batch[:3]))
    found_query, found_tokens = LearnedReader.load(tmp_path / "reader").logits(batch)
    assert found_query.shape == of_query.shape and found_tokens.shape == of_tokens.shape
    assert np.abs(found_query - of_query.numpy()).mean() < 0.1 * of_query.std().item()


def test_a_damaged_or_missing_file_is_refused(trained, tmp_path):
    with pytest.raises(ReaderFileError, match="contains no reader"):
        LearnedReader.load(tmp_path)
    for path in trained.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    LearnedReader.load(tmp_path)
    content = bytearray((tmp_path / MODEL_FILE).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / MODEL_FILE).write_bytes(content)
    with pytest.raises(ReaderFileError, match="damaged"):
        LearnedReader.load(tmp_path)


def test_a_folder_of_another_recipe_is_refused(recipe, nowhere, tmp_path):
    train_reader(recipe, nowhere, tmp_path)
    with pytest.raises(RecipeError, match="another recipe"):
        train_reader(recipe, nowhere, tmp_path, hold_out=1)


def test_the_reader_is_the_mean_of_its_seeds(recipe, nowhere, tmp_path):
    both = train_reader(dataclasses.replace(recipe, seeds=[3, 4]), nowhere, tmp_path).state_dict()
    first, second = (load_file(tmp_path / f"seed-{seed}" / WEIGHTS_FILE) for seed in (3, 4))
    assert not torch.equal(first["of_query.weight"], second["of_query.weight"])
    for name, weights in both.items():
        torch.testing.assert_close(weights, (first[name] + second[name]) / 2)


def test_a_local_copy_of_the_encoder_is_not_recorded_in_the_recipe(start, recipe, nowhere, tmp_path):
    named = dataclasses.replace(recipe, start="a/name", encoder=start)
    train_reader(named, nowhere, tmp_path)
    assert start not in (tmp_path / "seed-0" / "recipe.json").read_text()


def test_what_is_held_out_changes_what_is_learned(recipe, nowhere, tmp_path):
    assert "kinds" in HELD_OUT
    train_reader(recipe, nowhere, tmp_path / "all")
    train_reader(recipe, nowhere, tmp_path / "held", hold_out=0)
    first, second = (load_file(tmp_path / name / "seed-0" / WEIGHTS_FILE) for name in ("all", "held"))
    assert not torch.equal(first["of_query.weight"], second["of_query.weight"])


@pytest.mark.parametrize("line, said", [("layer = 3", "'layer'"), ("[sources]\nkind = 1", "kind")])
def test_a_mistake_in_a_recipe_is_named(line, said, nowhere, start, tmp_path):
    (tmp_path / "r.toml").write_text(f'name = "x"\nversion = "1"\nstart = {json.dumps(start)}\n{line}\n')
    with pytest.raises(RecipeError, match=said):
        train_reader(load_reader_recipe(tmp_path / "r.toml", {} if "[" in line else {"sources": {}}), nowhere, tmp_path)


def test_a_killed_training_resumes_to_the_same_weights(start, tmp_path):
    recipe = {"name": "s", "version": "0", "start": start, "layers": 1, "sources": {"kinds": 0.3}, "epochs": 2,
              "batch_size": 8}  # fmt: skip
    for name in ("whole", "killed"):
        program = TRAIN.format(recipe=recipe, out=str(tmp_path / name))
        if name == "killed":
            log = tmp_path / "log"
            process = Forked("-c", program, stdout=log, stderr=log, env=dict(os.environ), cwd=tmp_path)
            while not list((tmp_path / name / "seed-0").glob("checkpoint-*")) and process.poll() is None:
                time.sleep(0.01)
            process.kill()
            assert process.wait() == -signal.SIGKILL, log.read_text()
            assert not (tmp_path / name / "seed-0" / WEIGHTS_FILE).exists()
        run_python("-c", program, cwd=tmp_path)
    whole, killed = (load_file(tmp_path / name / "seed-0" / WEIGHTS_FILE) for name in ("whole", "killed"))
    assert all(torch.equal(whole[name], killed[name]) for name in whole)
