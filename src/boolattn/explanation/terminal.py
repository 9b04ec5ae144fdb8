"""An explanation in the terminal: the query in colour, and the words that were acted on."""

import re
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from boolattn.explanation.explained_query import SOURCES, ExplainedQuery
from boolattn.explanation.words import MEANINGS, MINUS, Role, Run, Word, in_words, percent, runs_of, signed, words_of

# Never colour alone: each role also has brackets, in characters that every terminal supports.
LOOKS: dict[Role, tuple[str, str, str]] = {
    "wanted": ("", "bold", ""),
    "excluded": ("[-", "red strike", "-]"),
    "cue": ("_", "magenta underline", "_"),
    "unused": ("(", "dim", ")"),
    "unread": ("(?", "dim", "?)"),
}
JOINED = ("{", "bold green", "}")
COLUMNS = (
    "bias: added to the attention scores of the word. attention: its share, without -> with the bias. "
    "weight: in the query's vector; a negative weight lowers the scores of documents about the word."
)
# Characters that would control the terminal, break or reverse the line, or hide text: control characters, line
# separators, bidirectional controls, invisible characters, tags and unpaired surrogates.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def render(explanation: ExplainedQuery) -> RenderableType:
    """Return what ``rich`` prints: the query, what it excludes and why, and a small table of effects."""
    words = words_of(explanation)
    runs = list(runs_of(explanation.query, words))
    parts: list[RenderableType] = [Text.assemble(*(_marked(run) for run in runs)), ""]
    parts += [Text(printable(sentence)) for sentence in in_words(explanation, runs)] + [Text()]
    parts += [
        Text(f"{'-' if atom.sign < 0 else '+'} {printable(atom.text)}", "red" if atom.sign < 0 else "green")
        for atom in explanation.plan.atoms
    ]
    parts.append(Text.assemble((explanation.source, "bold reverse"), f" {SOURCES[explanation.source]}"))
    parts.append(f"Reader: {explanation.reading.reader}, confidence {explanation.reading.confidence:.0%}.")
    touched = [word for word in words if word.operators or word.role == "excluded"]
    if touched and len(explanation.scopes):
        parts += ["", _table(touched, [word for word in words if word not in touched]), Text(COLUMNS, "dim")]
    return Group(*parts, _legend(words))


def _marked(run: Run) -> Text:
    text = printable(run.text)
    if run.role is None:
        return Text(text)
    opening, style, closing = JOINED if run.role == "wanted" and run.operators else LOOKS[run.role]
    return Text.assemble((opening, "dim"), (text, style), (closing, "dim"))


def _table(touched: Sequence[Word], others: Sequence[Word]) -> Table:
    """List the words that were acted on; the others share a row. The rest of the attention is on special tokens."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("word", "operator", "bias", "attention, %", "weight"):
        number = title in ("bias", "attention, %", "weight")
        table.add_column(title, justify="right" if number else "left", no_wrap=number)
    for word in touched:
        bias, weight = signed(word.biases.sum(1).mean(), 1), signed(word.weight)
        name = _marked(Run(word.text, word.role, word.operators))
        operators = Text(", ".join(word.operators), "dim")
        table.add_row(name, operators, _ascii(bias), _change([word]), _ascii(weight))
    table.add_row(Text("other words", "dim"), "", "", Text(_change(others), "dim"))
    return table


def _change(words: Sequence[Word]) -> str:
    before, after = (sum(word.shares[when] for word in words) for when in (0, 1))
    return f"{percent(before)} -> {percent(after)}"


def _legend(words: Sequence[Word]) -> Text:
    roles = [role for role in LOOKS if any(word.role == role and role != "wanted" for word in words)]
    samples = [_marked(Run(MEANINGS[role][1], role)) for role in roles]
    if any(word.role == "wanted" and word.operators for word in words):
        samples.append(_marked(Run("joined", "wanted", ("and",))))
    return Text("  ").join(samples)


def _ascii(number: str) -> str:
    return number.replace(MINUS, "-")


def printable(text: str) -> str:
    """Replace characters that could control the terminal or deceive the user with question marks."""
    return _UNPRINTABLE.sub("?", re.sub(r"[\t\r\n]", " ", text))
