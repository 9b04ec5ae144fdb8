"""Which words of a text carry meaning, and which only hold it together."""

import re

from boolattn.reading.typography import plain_marks

WORD = re.compile(r"\w+(?:'\w+)*")

FUNCTION_WORDS = frozenset({
    "a", "an", "the", "of", "in", "on", "at", "by", "to", "for", "from", "with", "during", "about", "into", "within",
    "and", "or", "but", "not", "non", "nor", "both", "either", "also", "as", "well", "too", "any", "all", "some",
    "that", "which", "who", "whose", "what", "where", "is", "are", "was", "were", "be", "been", "can", "do", "does",
    "have", "has", "it", "its", "their", "list", "find", "me", "show", "there", "ones", "found", "take", "takes",
    "place", "involve", "common", "excluding", "except", "without", "isn't", "aren't", "weren't", "don't", "doesn't",
    "isnt", "arent", "werent", "dont", "doesnt",
})  # fmt: skip


def content_words(text: str) -> list[str]:
    """Return the words of the text that carry meaning, in lower case and in order."""
    return [word for word in WORD.findall(plain_marks(text).lower()) if word not in FUNCTION_WORDS]
