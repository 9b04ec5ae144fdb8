"""No combination of attributes is in two splits, and some values are only in test."""

from itertools import combinations, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab.tests.catalogs.catalogs import films, plain_column

from boolattn_lab.catalogs.expressions import atoms_of
from boolattn_lab.catalogs.generator import generate
from boolattn_lab.catalogs.splits import Splits

SPLITS = ("train", "validation", "test")
ATOMS = [plain_column("c").atom(str(number)) for number in range(60)]


def combinations_by_split(splits, count=500):
    return {
        split: {
            frozenset(atoms_of(query.expression))
            for query in islice(generate(films(), seed=5, split=split, splits=splits, minimum=2), count)
        }
        for split in SPLITS
    }


def leaked(found):
    return {combination for one, other in combinations(SPLITS, 2) for combination in found[one] & found[other]}


def test_no_combination_leaks():
    found = combinations_by_split(Splits())
    assert all(len(found[split]) > 100 for split in SPLITS)
    assert not leaked(found)


class BySequence(Splits):
    """A plausible mistake: hashes the atoms in their given order, so that A or B and B or A may be split apart."""

    def split_of(self, atoms):
        fraction = self._fraction("combination", *(atom.value for atom in atoms))
        return "test" if fraction < 0.3 else "validation" if fraction < 0.6 else "train"


def test_the_check_notices_a_split_that_leaks():
    assert leaked(combinations_by_split(BySequence(unseen_values=0)))


@pytest.mark.parametrize("seed", [0, 1])
def test_unseen_values_are_in_test_only(seed):
    splits = Splits(seed=seed)
    found = combinations_by_split(splits, 300)
    values = {split: {atom for combination in found[split] for atom in combination} for split in SPLITS}
    unseen = {atom for atom in films().atoms if splits.is_unseen(atom)}
    assert unseen
    assert not unseen & (values["train"] | values["validation"])
    with_unseen = sum(bool(combination & unseen) for combination in found["test"]) / len(found["test"])
    assert 0.1 < with_unseen < 0.6, "a share of test has them, and a share has not"
    assert values["test"] - unseen


def test_any_combination_with_an_unseen_value_is_test():
    splits = Splits(unseen_values=0.2)
    unseen = next(atom for atom in ATOMS if splits.is_unseen(atom))
    assert {splits.split_of([unseen, atom]) for atom in ATOMS} == {"test"}


@given(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=4), st.randoms(), st.integers(0, 3))
def test_the_split_depends_on_the_set_alone(atoms, random, seed):
    again = [*atoms, random.choice(atoms)]
    random.shuffle(again)
    assert Splits(seed=seed).split_of(again) == Splits(seed=seed).split_of(atoms)


def test_shares_are_as_requested_and_seeds_differ():
    pairs = list(combinations(ATOMS, 2))
    found = [Splits(unseen_values=0).split_of(pair) for pair in pairs]
    assert 0.06 < found.count("test") / len(pairs) < 0.14
    assert 0.06 < found.count("validation") / len(pairs) < 0.14
    assert found != [Splits(seed=1, unseen_values=0).split_of(pair) for pair in pairs]
    assert sum(Splits(unseen_values=0.5).is_unseen(atom) for atom in ATOMS) in range(18, 43)
    with pytest.raises(ValueError, match="shares must be between 0 and 1"):
        Splits(validation=0.7, test=0.6)
