"""An engine has no longer for a call than whoever asked for it waits."""

import time

import pytest

from boolattn.retrieval.index.deadline import timeout_of, within
from boolattn.retrieval.index.milvus.client import MilvusServerError
from boolattn.retrieval.index.milvus.milvus_index import MilvusIndex


def test_a_call_gets_what_is_left():
    assert timeout_of(60) == 60
    with within(5):
        assert 4 < timeout_of(60) <= 5 and timeout_of(1) == 1
        with within(0):
            assert timeout_of(60) == pytest.approx(0.001)
    assert timeout_of(60) == 60


def test_a_server_that_hangs_is_not_waited_for(milvus):
    index = MilvusIndex(milvus.uri.replace("milvus", "http"), "nothing", milvus.uri)
    milvus.hang()
    try:
        begun = time.monotonic()
        with within(2), pytest.raises(MilvusServerError):
            index.count()
        assert time.monotonic() - begun < 20  # and not a minute
    finally:
        milvus.go_on()
        index.close()
