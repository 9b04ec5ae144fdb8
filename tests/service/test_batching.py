"""The queue: batches, turns, refusal at once, cancellation; and vectors that do not depend on the batch."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sentence_transformer.modules import Pooling

from boolattn.reading.options import ReadingOptions
from boolattn.service.app import create_app
from boolattn.service.batching import Batcher
from boolattn.service.exact_batches import ExactBatches, Unpadded
from boolattn.service.gate import EMBEDDING
from boolattn.service.jobs import Encoded, Job
from boolattn.service.problems import Problem
from boolattn.service.settings import ServiceSettings
from tests.backbones.tiny import tiny

WORDS = ["film", "war", "vietnam", "cook", "rice", "cat", "dog", "house", "tree", "river", "book", "cheap", "old"]


class Recorder:
    """An encoder that notes its batches, and waits until it may continue."""

    name, threads, dimension, longest, pooling = "recorder", 1, 1, None, None
    options = ReadingOptions()

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.may_go = threading.Event()
        self.may_go.set()

    def encode(self, jobs: Sequence[Job]):
        self.batches.append([job.text for job in jobs])
        self.may_go.wait(10)
        return [
            ValueError(job.text) if job.text == "bad" else Encoded(np.array([len(job.text)], np.float32), 1)
            for job in jobs
        ]


def jobs(*texts):
    return [Job(text, "document") for text in texts]


def run(test, encoder=None, **settings):
    async def main():
        used = encoder or Recorder()
        batcher = Batcher(used, **{"batch": 4, "gather": 0.005, "slots": 10, "patience": 60, **settings})
        batcher.start()
        try:
            return await test(batcher, used)
        finally:
            used.may_go.set()
            await batcher.close()

    return asyncio.run(main())


async def until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.001)


def test_a_single_text_does_not_wait():
    async def test(batcher, encoder):
        begun = time.perf_counter()
        await batcher.encode(jobs("a"))
        return time.perf_counter() - begun

    assert run(test, gather=5.0) < 2.5


def test_texts_that_arrive_meanwhile_form_a_batch_and_requests_take_turns():
    async def test(batcher, encoder):
        encoder.may_go.clear()
        first = asyncio.create_task(batcher.encode(jobs("first")))
        await until(lambda: encoder.batches)
        many = asyncio.create_task(batcher.encode(jobs("m1", "m2", "m3", "m4", "m5")))
        await asyncio.sleep(0)
        single = asyncio.create_task(batcher.encode(jobs("single")))
        await asyncio.sleep(0)
        encoder.may_go.set()
        await asyncio.gather(first, many, single)
        return encoder.batches

    assert run(test) == [["first"], ["m1", "single", "m2", "m3"], ["m4", "m5"]]


def test_answers_come_back_in_order():
    async def test(batcher, encoder):
        return await asyncio.gather(*(batcher.encode(jobs("x" * n, "y" * (n + 1))) for n in range(1, 5)))

    found = run(test)
    assert [[each.vector[0] for each in pair] for pair in found] == [[n, n + 1] for n in range(1, 5)]


def test_a_full_queue_refuses_at_once_and_recovers():
    async def test(batcher, encoder):
        encoder.may_go.clear()
        running = asyncio.create_task(batcher.encode(jobs("first")))
        await until(lambda: encoder.batches)
        waiting = asyncio.create_task(batcher.encode(jobs(*["w"] * 9)))
        await asyncio.sleep(0)
        begun = time.perf_counter()
        with pytest.raises(Problem) as refused:
            await batcher.encode(jobs("one", "two"))
        assert time.perf_counter() - begun < 0.1
        assert refused.value.status_code == 429 and int(refused.value.headers["Retry-After"]) >= 1
        one_more = asyncio.create_task(batcher.encode(jobs("one")))  # one slot is left
        await asyncio.sleep(0)
        encoder.may_go.set()
        await asyncio.gather(running, waiting, one_more)
        return batcher.queued

    assert run(test) == 0


@pytest.mark.parametrize("path", sorted(EMBEDDING))
def test_a_full_queue_refuses_before_the_body_is_read(path):
    async def test():
        encoder = Recorder()
        app = create_app(ServiceSettings(queue=1, max_batch=1, max_wait=60), encoder)
        batcher, sent = app.state.service.batcher, []
        batcher.start()
        encoder.may_go.clear()
        running = asyncio.create_task(batcher.encode(jobs("first")))
        await until(lambda: encoder.batches)
        waiting = asyncio.create_task(batcher.encode(jobs("second")))
        await asyncio.sleep(0)

        async def receive():
            raise AssertionError("the body was read")

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b""}
        await app(scope, receive, send)
        encoder.may_go.set()
        await asyncio.gather(running, waiting)
        await batcher.close()
        return sent[0]["status"], dict(sent[0]["headers"])[b"retry-after"]

    assert asyncio.run(test()) == (429, b"1")


def test_requests_that_would_wait_too_long_are_refused():
    async def test(batcher, encoder):
        batcher._speed = 0.1  # seconds per text, as it measured
        encoder.may_go.clear()
        running = asyncio.create_task(batcher.encode(jobs("first")))
        await until(lambda: encoder.batches)
        many = asyncio.create_task(batcher.encode(jobs(*["m"] * 5)))  # one request, however many texts
        await asyncio.sleep(0)
        second = asyncio.create_task(batcher.encode(jobs("second")))
        await asyncio.sleep(0)
        with pytest.raises(Problem, match="429"):
            await batcher.encode(jobs("third"))
        encoder.may_go.set()
        await asyncio.gather(running, many, second)

    run(test, patience=0.15)


def test_texts_that_nobody_waits_for_are_not_encoded():
    async def test(batcher, encoder):
        encoder.may_go.clear()
        running = asyncio.create_task(batcher.encode(jobs("first")))
        await until(lambda: encoder.batches)
        left = asyncio.create_task(batcher.encode(jobs("left 1", "left 2")))
        kept = asyncio.create_task(batcher.encode(jobs("kept")))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.sleep(0)
        assert batcher.queued == 1
        encoder.may_go.set()
        await asyncio.gather(running, kept)
        return encoder.batches

    assert run(test) == [["first"], ["kept"]]


def test_one_bad_text_does_not_fail_the_others():
    async def test(batcher, encoder):
        return await asyncio.gather(*(batcher.encode(jobs(text)) for text in ("a", "bad", "c")), return_exceptions=True)

    good, bad, other = run(test)
    assert good[0].vector == other[0].vector == 1 and isinstance(bad, ValueError)


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    lengths = [1, 2, 3, 4, 6, 8, 10, 12, 13, 14, 15, 20, 40, 300]
    return [" ".join(rng.choice(WORDS, length)) for length in lengths for _ in range(3)]


HOW = [{}, {"normalize_embeddings": True}, {"normalize_embeddings": True, "truncate_dim": 64}]


@pytest.mark.parametrize(("role", "how"), [*(("query", how) for how in HOW), ("document", {})], ids=str)
def test_vectors_of_a_batch_are_those_of_single_texts(plain, texts, role, how):
    batches = ExactBatches(plain)
    assert batches.exact
    alone = plain.encode_query if role == "query" else plain.encode_document
    expected = np.stack([alone(text, **how) for text in texts])
    order = np.random.default_rng(1).permutation(len(texts))
    assert np.array_equal(batches.encode([texts[place] for place in order], role, how), expected[order])
    assert not np.array_equal(alone(texts, **how), expected)  # the library's own batches differ in the last digits


@pytest.mark.parametrize("family", ["bert", "distilbert", "roberta", "electra", "mpnet", "modernbert"])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_every_family_is_exact_or_encoded_one_by_one(family, pooling, minilm_tokenizer, texts):
    encoder = tiny(family, "eager" if family == "mpnet" else "sdpa")
    encoder.resize_token_embeddings(len(minilm_tokenizer))
    plain = sentence_model(encoder, minilm_tokenizer, pooling)
    batches = ExactBatches(plain)
    found = batches.encode(texts[::2], "query", {})
    assert np.array_equal(found, [plain.encode_query(text) for text in texts[::2]])
    assert batches.exact or family in ("mpnet", "modernbert")


def sentence_model(encoder, tokenizer, pooling):
    with TemporaryDirectory() as folder:
        encoder.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        transformer = Transformer(folder, max_seq_length=64)
    return SentenceTransformer(modules=[transformer, Pooling(encoder.config.hidden_size, pooling)])


def test_a_model_that_mixes_its_texts_is_given_them_one_by_one(plain, texts, monkeypatch):
    monkeypatch.setattr(Unpadded, "_attention", lambda self, query, *others, **more: query.mean(0, True) + 0 * query)
    assert not ExactBatches(plain).exact


@pytest.mark.parametrize(("variables", "threads"), [({}, 1), ({"OMP_NUM_THREADS": "2"}, 2)])
def test_a_worker_uses_one_thread_unless_told_otherwise(variables, threads):
    code = """
from boolattn.service import server
from boolattn.service.settings import load_settings

def run(self, sockets):
    import torch
    print(torch.get_num_threads())

server.DrainingServer.run = run
server.serve(load_settings({"port": 0}))
"""
    kept = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    run = subprocess.run([sys.executable, "-c", code], env=kept | variables, capture_output=True, text=True)
    assert run.stdout == f"{threads}\n", run.stderr
