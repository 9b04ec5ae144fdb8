import pytest

from boolattn import BoolAttnConfig
from boolattn.attention import BoolAttention


def test_defaults_are_the_papers():
    config = BoolAttnConfig()
    assert (config.operator_dim, config.theta, config.window, config.sigma) == (10, 0.5, 5, 2.0)
    assert (config.operators, config.gate, config.gate_temperature) == (("and", "or", "not"), "given", 0.1)
    assert (config.share, config.bias_rank) == ("none", None)


def test_round_trip():
    config = BoolAttnConfig.light(operators=("not", "or"), sigma=1.5)
    assert BoolAttnConfig.from_dict(config.to_dict()) == config
    assert config != BoolAttnConfig()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"operators": ("xor",)}, "unknown operators"),
        ({"operators": "not"}, r"write \('not',\)"),
        ({"operators": ()}, "at least one"),
        ({"operators": ("not", "not")}, "no duplicates"),
        ({"gate": "guessed"}, "gate='guessed' is not one of"),
        ({"share": "all"}, "share"),
        ({"cue_conditioning": "subtractive"}, "cue_conditioning"),
        ({"sigma": 0.0}, "sigma must be positive"),
        ({"bias_rank": 0}, "bias_rank"),
        ({"theta": 1.0}, "theta"),
    ],
)
def test_invalid_settings_are_rejected_by_name(settings, message):
    with pytest.raises(ValueError, match=message):
        BoolAttnConfig(**settings)


def test_integers_are_accepted():
    assert BoolAttention(BoolAttnConfig(sigma=2), hidden_size=8, heads=2, layers=1).position.sigma.tolist() == [2, 2, 2]


def test_unknown_settings_are_errors():
    with pytest.raises(ValueError, match="colour"):
        BoolAttnConfig.from_dict({"colour": "blue"})


@pytest.mark.parametrize("strength", [0.0, -1.0])
def test_non_positive_not_strength_is_rejected(strength):
    with pytest.raises(ValueError, match="not_strength must be positive"):
        BoolAttnConfig(not_strength=strength)
    assert BoolAttnConfig.from_dict(BoolAttnConfig(not_strength=4.0).to_dict()).not_strength == 4.0
