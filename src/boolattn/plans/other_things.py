"""Names that contain the name of another thing: peanut butter is no butter, and cream of tartar no cream.

Only names whose thing shares nothing with the word's: rice vinegar is a vinegar, garlic powder is garlic, a chicken
stock has chicken. It is short because each line is a fact; whatever is not here counts as a mention.
"""

import re

IMITATING = frozenset({"faux", "imitation", "mock", "fake", "simulated"})
"""Before a word: it only looks or tastes like it."""

_FROM_ANIMALS = frozenset({
    "bacon", "beef", "butter", "buttermilk", "cheese", "chicken", "cream", "egg", "fish", "fur", "ham", "honey",
    "leather", "mayonnaise", "mayo", "meat", "meatball", "milk", "mince", "pork", "sausage", "turkey", "wool",
    "yogurt", "yoghurt",
})  # fmt: skip
_WITHOUT_MEAT = frozenset({
    "bacon", "beef", "chicken", "fish", "ham", "meat", "meatball", "mince", "pork", "sausage", "turkey",
})  # fmt: skip
_WITHOUT_MILK = frozenset({
    "butter", "buttermilk", "cheese", "cream", "milk", "yogurt", "yoghurt",
})  # fmt: skip
_IMITATED = {
    "vegan": _FROM_ANIMALS,
    "vegetarian": _WITHOUT_MEAT,
    "veggie": _WITHOUT_MEAT,
    "meatless": _WITHOUT_MEAT,
    "soy": _WITHOUT_MEAT | _WITHOUT_MILK,
    "nondairy": _WITHOUT_MILK,
    "plant": _FROM_ANIMALS,
}
"""What the word after such a word is not."""

_NUTS = frozenset({
    "almond", "cashew", "hazelnut", "macadamia", "coconut", "oat", "rice", "soya", "hemp",
})  # fmt: skip
_NAMES = {
    "butter": _NUTS | {"peanut", "nut", "apple", "cocoa", "shea", "cookie", "pumpkin", "sunflower", "body"},
    "milk": _NUTS,
    "cheese": frozenset({"head"}),
    "cream": frozenset({"shaving", "coconut", "hand", "face", "eye", "skin", "sun", "night"}),
    "potato": frozenset({"sweet"}),
    "dog": frozenset({"hot", "corn"}),
    "apple": frozenset({"pine"}),
    "beer": frozenset({"root", "ginger"}),
    "ale": frozenset({"ginger"}),
    "chestnut": frozenset({"water"}),
    "nut": frozenset({"dough", "wing", "lug", "hex"}),
    "nail": frozenset({"finger"}),
}
OTHER_BEFORE: dict[str, frozenset[str]] = {
    word: frozenset(_NAMES.get(word, frozenset()))
    | {adjective for adjective, words in _IMITATED.items() if word in words}
    for word in {*_NAMES, *(word for words in _IMITATED.values() for word in words)}
}
"""Words before a word that make it another thing."""


def _after(*words: str) -> re.Pattern[str]:
    return re.compile(rf"s?[ -](?:{'|'.join(words)})\b")


OTHER_AFTER: dict[str, re.Pattern[str]] = {
    "butter": _after("beans?", "lettuce", "squash", "crackers?", "flavou?r"),
    "cream": _after("of tartar", "of coconut", "soda", "crackers?"),
    "egg": _after("plants?", "roll wrappers?"),
    "cherry": _after(
        "tomato(?:es)?",
    ),
    "grape": _after("tomato(?:es)?", "seed oil"),
    "plum": _after(
        "tomato(?:es)?",
    ),
    "pear": _after(
        "tomato(?:es)?",
    ),
    "beefsteak": _after(
        "tomato(?:es)?",
    ),
    "oyster": _after("mushrooms?", "crackers?"),
    "lemon": _after("grass", "balm", "thyme", "verbena", "basil"),
    "apple": _after(
        "mint",
    ),
    "pineapple": _after("mint", "sage"),
    "chocolate": _after(
        "mint",
    ),
    "kidney": _after(
        "beans?",
    ),
    "pepper": _after(
        "jack",
    ),
    "dragon": _after(
        "fruits?",
    ),
    "water": _after("chestnuts?", "melons?", "cress"),
    "buffalo": _after("wings?", "sauce", "mozzarella"),
    "hot": _after(
        "dogs?",
    ),
    "rock": _after("salt", "sugar"),
    "sugar": _after("snaps?", "snap peas?", "pumpkins?"),
    "snow": _after(
        "peas?",
    ),
    "goat": _after(
        "cheese",
    ),
    "lady": _after(
        "fingers?",
    ),
    "bay": _after("leaf", "leaves", "scallops?"),
    "flower": _after(
        "of",
    ),
}
"""Words after a word that make it part of the name of another thing."""
