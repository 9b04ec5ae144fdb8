"""Which words count, and which forms are one word.

PyStemmer's English stems join plurals and the forms of verbs and adjectives. Two tables have
what they miss, irregular plurals, and what they join wrongly.
"""

from collections.abc import Iterable

import Stemmer

REQUEST_WORDS = frozenset({
    "allergic", "allergy", "anyone", "best", "bring", "called", "calls", "cook", "cooking", "eat", "eating", "eats",
    "give", "good", "got", "great", "hate", "hates", "help", "idea", "ideas", "kind", "let", "look", "looking",
    "love", "make", "makes", "making", "may", "might", "need", "needs", "new", "recipe", "recipes", "recommend",
    "search", "searching", "someone", "sort", "suggest", "thing", "things", "type", "use", "uses", "using", "want",
    "wants", "way",
})  # fmt: skip
"""Words of a request, which its answers need not contain: "what can I make for someone who is allergic". They count in
an atom that has no others: "films about cooking"."""

COMMON_WORDS = frozenset({
    "a", "about", "above", "after", "anything", "again", "against", "ain", "all", "also", "am", "an", "and", "any",
    "are", "aren", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "can", "cannot", "could", "couldn", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during",
    "each", "either", "else", "etc", "every", "few", "for", "from", "further", "get", "had", "hadn", "has", "hasn",
    "have", "haven", "having", "he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "if",
    "in", "into", "is", "isn", "it", "its", "itself", "just", "like", "ll", "me", "mightn", "more", "most", "much",
    "must", "mustn", "my", "myself", "needn", "neither", "no", "nor", "not", "of", "off", "on", "once", "one",
    "only", "onto", "or", "other", "ought", "our", "ours", "ourselves", "out", "over", "own", "per", "please", "re",
    "same", "shan", "she", "should", "shouldn", "so", "some", "such", "than", "that", "the", "their", "theirs",
    "them", "themselves", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under",
    "until", "up", "upon", "us", "ve", "very", "was", "wasn", "we", "were", "weren", "what", "when", "where",
    "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "without", "won", "would",
    "wouldn", "you", "your", "yours", "yourself", "yourselves",
})  # fmt: skip
"""Words that say nothing about a text."""

_IRREGULAR = {
    "calf": "calves",
    "child": "children",
    "elf": "elves",
    "foot": "feet",
    "goose": "geese",
    "half": "halves",
    "hoof": "hooves",
    "knife": "knives",
    "leaf": "leaves",
    "lens": "lenses",
    "loaf": "loaves",
    "louse": "lice",
    "man": "men",
    "mouse": "mice",
    "ox": "oxen",
    "scarf": "scarves",
    "shelf": "shelves",
    "thief": "thieves",
    "tooth": "teeth",
    "wife": "wives",
    "wolf": "wolves",
    "woman": "women",
}
_SINGULARS = {plural: singular for singular, plural in _IRREGULAR.items()}
_OWN = frozenset({
    "animal", "bearing", "bedding", "booking", "bowling", "boxing", "building", "clothing", "corned", "dating",
    "dressing", "experiment", "filling", "fishing", "flooring", "frosting", "housing", "icing", "important", "lighting",
    "lovely", "news", "organic", "painting", "parking", "paste", "puree", "pureed", "railing", "seasoned", "seasoning",
    "stuffing", "topping", "training", "university",
})  # fmt: skip
"""Words that share a stem with another thing: an icing is no ice, and nothing animated need have animals."""
_OWN_STEMS = {form: word for word in _OWN for form in (word, f"{word}s", word.removesuffix("y") + "ies")}


def stems_of(words: Iterable[str]) -> dict[str, str]:
    """Return the stem of each word; words are in lower case."""
    words = list(words)
    stemmer = Stemmer.Stemmer("english")  # stemmers are not thread-safe
    stems = stemmer.stemWords([_SINGULARS.get(word, word) for word in words])
    return {word: _OWN_STEMS.get(word, stem) for word, stem in zip(words, stems, strict=True)}


def other_forms(word: str) -> list[str]:
    """Return forms of a word that need not begin like its stem: "mice" for "mouse"."""
    return [form for form in (_IRREGULAR.get(word), _SINGULARS.get(word)) if form]


SHORTEST_PART = 3
"""Letters of a part of a compound, such as "egg" in "eggplant"."""
_REMOVED = frozenset({"bone", "core", "hull", "husk", "peel", "pit", "rind", "shell", "skin", "stem"})
"""Nouns whose participle says that it was removed ("pitted dates"), and whose un- that it was not ("unpeeled")."""


def says_removed(word: str, stem: str) -> bool:
    """Whether a word says that what its stem names was removed: "pitted", "deboned"."""
    return word.endswith("ed") and stem in _REMOVED


def denied_words(word: str) -> list[str]:
    """Return what a word denies: "dairy" of "nondairy", "cord" of "cordless", "salted" of "unsalted"."""
    found = []
    if word.startswith("non"):
        found.append(word[3:])
    if word.startswith("un") and word.endswith("ed") and not any(word[2:].startswith(noun) for noun in _REMOVED):
        found.append(word[2:])
    if word.endswith("less"):
        found.append(word[:-4])
    return [bare for bare in found if len(bare) >= SHORTEST_PART]
