"""A few documents, and which of them a filter made from a plan keeps: the same for every engine."""

DOCUMENTS = {
    "onion soup": "Onion soup with stock",
    "onions": "A soup of ONIONS, leeks and cream",
    "carrots": "A carrot soup with cream",
    "eggplant": "Eggplant soup",
    "soy": "Noodles with soy sauce",
    "sauce": "Noodles with tomato sauce",
    "soy milk": "Soy milk; the sauce comes apart",
    "berries": "Berries, 50% off",
    "quoted": "It's a 'quoted' back\\slash; DROP TABLE kitchen; --",
    "leaves": "Vine leaves",
    "nothing": None,
}

KEPT = [  # a plan in the explicit syntax, and what its exclusions drop
    ("soup", set()),
    ("soup OR noodles", set()),
    ("soup NOT onion", {"onion soup", "onions"}),
    ("soup NOT onions", {"onion soup", "onions"}),
    ("soup NOT egg", set()),
    ("noodles NOT soy sauce", {"soy"}),
    ("noodles NOT soy-sauce", {"soy"}),
    ("noodles NOT soy NOT tomato", {"soy", "soy milk", "sauce"}),
    ("dessert NOT berry", {"berries"}),
    ("dinner NOT bay leaf NOT vine leaf", {"leaves"}),
    ("soup NOT (onion AND cream)", {"onions"}),
    ("soup OR NOT onion", set()),
    ("NOT cream", {"onions", "carrots"}),
    ("soup AND (NOT onion OR NOT leek)", {"onions"}),
    ('soup NOT "\') OR true --"', set()),
    ("soup NOT \"'quoted'\"", {"quoted"}),
    ('soup NOT "50%"', {"berries"}),
    ('soup NOT "%"', {"berries"}),
    ('soup NOT ".*"', set()),
]
BY_WORDS = {'soup NOT "%"': set()}
"""For engines that see words only, and no signs."""

BOTH = [  # what a filter keeps that also requires what is wanted
    ("soup NOT onion", {"carrots", "eggplant"}),
    ("noodles sauce", {"soy", "sauce"}),
    ("(soup AND cream) OR berries", {"onions", "carrots", "berries"}),
    ("(soup NOT cream) OR (noodles NOT tomato)", {"onion soup", "eggplant", "soy"}),
]
