from boolattn.backbones.storage.model_names import load_encoder
from boolattn_lab.costs.pipeline import encode_ratio
from tests.backbones.small import backbone


def test_the_ratio_is_a_positive_number(tmp_path, minilm_folder):
    model = load_encoder(backbone(tmp_path, minilm_folder))
    assert 0 < encode_ratio(model, [f"number {n} " * (n % 20) for n in range(200)]) < 3
