"""Real queries without operator get the backbone's own vector, to the bit."""

import os
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder
from boolattn.bench.query_cost import ordinary_queries
from boolattn.data.folder import DataFolder
from boolattn.reading.readers import reader_of

pytestmark = pytest.mark.skipif("BOOLATTN_DATA" not in os.environ, reason="BOOLATTN_DATA names no data folder")


def test_a_thousand_ordinary_queries(minilm_folder):
    queries = list(islice(ordinary_queries(DataFolder(Path(os.environ["BOOLATTN_DATA"]))), 1000))
    assert len(queries) == 1000
    readings = reader_of("rules").read(queries)
    closed = [reading.query for reading in readings if not reading.exclusions]
    assert len(closed) >= 995  # the rules see an exclusion in hardly any
    model, bare = DualEncoder.training_free(str(minilm_folder)), SentenceTransformer(str(minilm_folder))
    assert np.array_equal(model.encode_query(closed), bare.encode(closed))
    named = model.encode_query(queries, operators=[[]] * len(queries))
    assert np.array_equal(named, bare.encode(queries))
