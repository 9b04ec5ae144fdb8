import pytest
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder
from boolattn.backbones.storage.model_names import UnknownModelError
from boolattn_lab.benchmarks.model_parts import finds_operators, load_boolean, operators_of, transformers_of


def test_the_parts_of_plain_and_boolean_models(start):
    plain, boolean = SentenceTransformer(start), DualEncoder.training_free(start)
    assert transformers_of(plain) == [plain[0]] and transformers_of(boolean) == [boolean.tower.transformer]
    assert (operators_of(plain), operators_of(boolean)) == ((), ("not",))
    found = [finds_operators(model) for model in (plain, boolean, DualEncoder.untrained(start))]
    assert found == [False, True, False]


def test_a_plain_model_is_refused_where_a_boolean_one_is_needed(start):
    assert isinstance(load_boolean(f"training-free:{start}"), DualEncoder)
    with pytest.raises(UnknownModelError, match="write training-free:"):
        load_boolean(start)
