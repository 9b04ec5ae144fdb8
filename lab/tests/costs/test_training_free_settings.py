import pytest

from boolattn_lab.costs.training_free_settings import Setting, choose


def setting(penalty, values, strength=2.0):
    return Setting(strength, penalty, {}, {str(number): value for number, value in enumerate(values)})


def test_the_middle_of_indistinguishable_settings_is_chosen():
    bare = Setting(None, None, {}, {str(number): 0.5 for number in range(50)})
    surely_worse, best, *others = (
        setting(0.1, [0.3] * 50),
        setting(0.2, [0.72, 0.5] * 25),
        setting(0.3, [0.5, 0.71] * 25),
        setting(0.4, [0.5, 0.7] * 25),
    )
    assert choose([bare, surely_worse, best, *others]) is others[0]
    assert choose([bare, surely_worse, best, others[0]]) is others[0]  # of two middles, the stronger
    assert choose([bare, surely_worse, best]) is best


def test_the_chosen_middle_is_one_of_the_good_settings():
    good, bad = [0.9] * 50, [0.1] * 50
    tried = [
        setting(penalty, good if (strength, penalty) in ((2.0, 0.1), (4.0, 0.5), (8.0, 0.2)) else bad, strength)
        for strength in (2.0, 4.0, 8.0)
        for penalty in (0.1, 0.2, 0.5)
    ]
    assert choose(tried).score == pytest.approx(0.9)


def test_a_bare_model_that_is_clearly_best_is_chosen():
    bare = Setting(None, None, {}, {str(number): 0.9 for number in range(50)})
    assert choose([bare, setting(0.1, [0.1] * 50)]) is bare
