"""How people ask for recipes, as data: terse, as typed into a box, and as said to a person.

``<dish>`` is the dish ("cookies") and ``<Dish>`` its form before a noun ("cookie recipe"); ``<x>``, ``<y>`` and ``<z>``
are ingredients, ``<X>`` and so on their form before a noun ("onion-free"). The words in brackets carry the operator.
In ``UNSEEN`` these words occur in no text that a reader was trained on; a test checks this.
"""

from collections.abc import Mapping
from typing import Literal

Kind = Literal["not", "and", "or", "and not", "or not", "and or", "not or"]

SEEN: Mapping[Kind, tuple[str, ...]] = {
    "not": (
        "<dish> [without] <x>",
        "<dish> [no] <x>",
        "<X>[-free] <dish>",
        "<dish> [w/o] <x>",
        "<dish> [but no] <x>",
        "<Dish> recipe with [no] <x>",
        "<dish>, [hold the] <x>",
        "<dish> [minus the] <x>",
        "<dish> [sans] <x>",
        "a <Dish> recipe that [doesn't have] <x> in it",
        "[no] <x> <dish>",
        "i'm [allergic to] <x>, what <dish> can i make?",
        "i want to make <dish> but i [hate] <x>",
        "what <dish> can i make if i [don't eat] <x>?",
        "show me <dish> but [leave out] the <x>",
        "any <Dish> recipes that are [not] made with <x>?",
    ),
    "and": (
        "<dish> with <x> [and] <y>",
        "<X> [and] <Y> <dish>",
        "<dish> with [both] <x> [and] <y>",
        "<dish> w/ <x> [and] <y>",
        "<x> [and] <y> <Dish> recipe",
        "<dish> containing <x> [as well as] <y>",
        "<dish> using <x> [and also] <y>",
        "<dish> <x> [and] <y>",
        "i have <x> [and] <y>, what <dish> can i make?",
        "looking for <dish> with <x> [and] <y> in it",
        "can you find me a <Dish> recipe that uses <x> [and] <y>?",
        "<dish> with <x>, [also] <y>",
    ),
    "or": (
        "<dish> with <x> [or] <y>",
        "<X> [or] <Y> <dish>",
        "<dish> with [either] <x> [or] <y>",
        "<dish> w/ <x> [or] <y>",
        "<x> [or] <y> <Dish> recipe",
        "<dish> containing <x> [or] <y>",
        "<dish> with <x> [or] with <y>",
        "<dish> <x> [or] <y>",
        "i feel like <dish> with <x> [or] <y> in it",
        "can you find me a <Dish> recipe that uses <x> [or] <y>?",
        "any <dish> with <x>, [or] maybe <y>?",
        "<dish>, [either] <x> [or] <y>",
    ),
    "and not": (
        "<dish> with <x> and <y> but no <z>",
        "<dish> with <x> and <y>, no <z>",
        "<X> and <Y> <dish> without <z>",
        "<Z>-free <dish> with <x> and <y>",
        "<dish> <x> and <y> no <z>",
        "<dish> with both <x> and <y>, hold the <z>",
        "i have <x> and <y>, what <dish> can i make without <z>?",
        "i'm allergic to <z>, any <dish> with <x> and <y>?",
        "i'd like <dish> with <x> and <y> but i hate <z>",
    ),
    "or not": (
        "<dish> with <x> or <y> but no <z>",
        "<dish> with <x> or <y>, no <z>",
        "<X> or <Y> <dish> without <z>",
        "<Z>-free <dish> with <x> or <y>",
        "<dish> <x> or <y> no <z>",
        "<dish> with either <x> or <y>, hold the <z>",
        "i have <x> or <y>, what <dish> can i make without <z>?",
        "i'm allergic to <z>, any <dish> with <x> or <y>?",
        "i'd like <dish> with <x> or <y> but i hate <z>",
    ),
    "and or": (
        "<dish> with <x> and either <y> or <z>",
        "<dish> with <x> and <y> or <z>",
        "<X> <dish> with <y> or <z>",
        "<Y> or <Z> <dish> with <x>",
        "<dish> with <x>, and also <y> or <z>",
        "<dish> that must have <x> and (<y> or <z>)",
        "i have <x>, and <y> or <z>, what <dish> can i make?",
        "looking for <dish> with <x> as well as <y> or <z>",
        "can you find me a <Dish> recipe with <x> and either <y> or <z>?",
    ),
    "not or": (
        "<dish> without <x> or <y>",
        "<dish> no <x> or <y>",
        "<dish> with no <x> and no <y>",
        "<dish> without <x> and <y>",
        "<dish> no <x> no <y>",
        "<dish> with neither <x> nor <y>",
        "i'm allergic to <x> and <y>, what <dish> can i make?",
        "i want to make <dish> but i don't eat <x> or <y>",
        "any <Dish> recipes without <x> or <y> in them?",
    ),
}

UNSEEN: Mapping[Kind, tuple[str, ...]] = {
    "not": (
        "<dish>, [86 the] <x>",
        "[fresh out of] <x>, ideas for <dish>?",
        "my son [spits out] <x>, which <dish> might he eat?",
        "<dish> for a guest who [gets hives from] <x>",
        "<dish> where the recipe [never calls for] <x>",
        "<dish> for someone who [retches at] <x>",
        "<dish>, leave the <x> [on the shelf]",
        "grandma [breaks out from] <x>, what <dish> should i bring her?",
    ),
    "and": (
        "<dish> with <x> [alongside some] <y>",
        "need to use up <x> [plus some] <y>, <dish> please",
        "<dish> with <x> [teamed with] <y>",
        "got <x>, [got some] <y>, need <dish>",
        "<dish> with <x> [n'] <y>",
        "<dish> starring <x> [paired up with] <y>",
    ),
    "or": (
        "<dish> with <x>, [failing that] <y>",
        "<dish> with <x>, though <y> [would do too]",
        "<dish> with [whichever of] <x> and <y>",
        "<dish> with <x>, <y> [if need be]",
        "<x>, <y>, [no matter which], in <dish>",
        "<dish> with <x>, [at a pinch] <y>",
    ),
    "and not": (
        "<dish> with <x> [alongside some] <y>, [86 the] <z>",
        "got <x>, [got some] <y>, [fresh out of] <z>, need <dish>",
        "my son [spits out] <z>, so what <dish> with <x> and <y>?",
        "<dish> with <x> and <y> for a guest who [gets hives from] <z>",
    ),
    "or not": (
        "<dish> with <x>, [failing that] <y>, [86 the] <z>",
        "[fresh out of] <z>, ideas for <dish> with <x> or <y>?",
        "my son [spits out] <z>, so what <dish> with <x> or <y>?",
        "<dish> with <x> or <y> for a guest who [gets hives from] <z>",
    ),
    "and or": (
        "<dish> with <x> [alongside some] <y> or <z>",
        "got <x>, need <dish> with <y>, [failing that] <z>, in it",
        "<dish> with <x> [paired up with] <y> or <z>",
        "<dish> with <x> and [whichever of] <y> and <z>",
    ),
    "not or": (
        "<dish>, [86 the] <x> and <y>",
        "[fresh out of] <x> and <y>, ideas for <dish>?",
        "my son [spits out] <x> or <y>, which <dish> might he eat?",
        "<dish> for a guest who [gets hives from] <x> and <y>",
    ),
}
