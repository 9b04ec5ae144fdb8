"""Typographic marks as plain ones, character for character, so that offsets stay those of the text."""

_PLAIN_MARKS = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\uff0c": ",",
        "\uff1f": "?",
    }
)


def plain_marks(text: str) -> str:
    """Return the text with straight quotation marks and plain dashes, as long as before."""
    return text.translate(_PLAIN_MARKS)
