"""Templates: the shapes of queries, as expressions over slots that atoms are put into."""

from boolattn.generation.catalog.atoms import Atom, Phrases
from boolattn.generation.catalog.expressions import And, AndNot, Expression, Or

A, B, C, D = (Atom("slot", letter, letter, Phrases(noun=("{value}",))) for letter in "abcd")

QUEST_TEMPLATES: dict[str, Expression] = {
    "_": A,
    "_ or _": Or((A, B)),
    "_ or _ or _": Or((A, B, C)),
    "_ that are also _": And((A, B)),
    "_ that are also both _ and _": And((A, B, C)),
    "_ that are not _": AndNot(A, B),
    "_ that are also _ but not _": AndNot(And((A, B)), C),
}

NESTED_TEMPLATES: dict[str, Expression] = {
    "_ that are also (_ or _)": And((A, Or((B, C)))),
    "(_ or _) that are not _": AndNot(Or((A, B)), C),
    "_ that are not (_ or _)": AndNot(A, Or((B, C))),
    "_ that are not (_ that are also _)": AndNot(A, And((B, C))),
    "(_ that are also _) or _": Or((And((A, B)), C)),
    "(_ that are not _) or _": Or((AndNot(A, B), C)),
    "(_ that are also _) or (_ that are also _)": Or((And((A, B)), And((C, D)))),
    "_ that are also _ but not (_ or _)": AndNot(And((A, B)), Or((C, D))),
    "_ that are also (_ or _) but not _": AndNot(And((A, Or((B, C)))), D),
    "(_ that are also _ but not _) or _": Or((AndNot(And((A, B)), C), D)),
}

TEMPLATES = QUEST_TEMPLATES | NESTED_TEMPLATES
