"""How a Boolean model understands queries: what it reads, what it acts on, and the input of its query tower."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from boolattn.backbones.encodings.encoding import Encoding
from boolattn.backbones.labelled_query import LabelledQuery, labelled
from boolattn.operators import NOT
from boolattn.reading.caller import ExcludedWords, labelled_reading
from boolattn.reading.options import Exclude, ReadingOptions
from boolattn.reading.reading import Reading, Source


class Understood(NamedTuple):
    """How a model understands one query."""

    reading: Reading  # the whole reading
    applied: Reading  # what is acted on
    asked: str  # the input of the query tower
    source: Source  # of operators, cues and scopes


class Call(NamedTuple):
    """The settings of one call of a model.

    Attributes:
        encoding: The model's encoding.
        options: How queries are read, with the caller's changes for this call.
        by_default: Whether the caller changes nothing, so that the query tower can read the queries itself.
    """

    encoding: Encoding
    options: ReadingOptions
    by_default: bool

    @classmethod
    def of(cls, encoding: Encoding, options: ReadingOptions, changes: Mapping[str, Any]) -> "Call":
        """Apply the changes; None changes nothing."""
        changed = options.changed(**changes)
        # A mechanism uses no reader, so act=False must be handled here.
        by_default = all(value is None for value in changes.values()) and (changed.act or not encoding.reads)
        return cls(encoding, changed, by_default)

    def asked(
        self,
        queries: Sequence[str],
        operators: Sequence[str | Collection[str]] | None = None,
        exclude: Exclude | None = None,
    ) -> Sequence[str]:
        """Return the input of the query tower: queries labelled with what to act on, or plain texts for it to read.

        Args:
            queries: The texts.
            operators: For each query, the operators it contains; None lets the model find them.
            exclude: For each query, the words that it excludes, as in ``ReadingOptions.read``; None lets the reader
                find them.
        """
        require_one(operators, exclude)
        if operators is not None:
            given = labelled(queries, operators)
            return given if self.by_default else self._reading_labelled(given)
        if exclude is None and self.by_default:
            return queries
        readings = self.options.read(queries, exclude, screen="exclusions")
        return carrying(self.encoding, [self.options.applied(each) for each in readings])

    def understand(
        self, query: str, operators: str | Collection[str] | None = None, exclude: ExcludedWords | None = None
    ) -> Understood:
        """Return how one query is understood, with the same arguments as ``asked``."""
        require_one(operators, exclude)
        label = None if operators is None else LabelledQuery.of(query, operators)
        if label is not None and NOT.name not in label.operators:
            reading = labelled_reading(query, label.operators, {}, {})
        else:
            reading = self.options.decided(self.options.read([query], exclude)[0])
        applied = self.options.applied(reading)
        if label is None:
            (asked,) = carrying(self.encoding, [applied])
        else:
            asked = self._acting_on(label, applied)
        tower_reads = self.by_default and label is None and exclude is None and self.encoding.reads
        text = query if tower_reads else asked
        return Understood(reading, applied, text, self.encoding.source(text, reading))

    def _reading_labelled(self, queries: Sequence[LabelledQuery]) -> list[LabelledQuery]:
        """Read the queries that may exclude something, unless the encoding finds exclusions itself."""
        read = [not self.encoding.reads and NOT.name in query.operators for query in queries]
        texts = [query for query, reads in zip(queries, read, strict=True) if reads]
        readings = iter(self.options.read(texts, screen="exclusions") if texts else ())
        applied = [self.options.applied(next(readings)) if reads else None for reads in read]
        return [self._acting_on(*pair) for pair in zip(queries, applied, strict=True)]

    def _acting_on(self, query: LabelledQuery, applied: Reading | None) -> LabelledQuery:
        return LabelledQuery.of(query, query.operators if self.options.act else (), applied)


def carrying(encoding: Encoding, readings: Sequence[Reading]) -> list[LabelledQuery]:
    """Return queries that carry their readings through batching."""
    named = [each for reading in readings if reading.is_named_by_caller for each in reading.exclusions if each.span]
    if named and encoding.reads:
        raise ValueError(
            f"exclude= names {named[0].text!r}, but the mechanism of this model finds the scope of *not* itself: pass "
            "operators=[['not']] instead"
        )
    return [LabelledQuery.of(each.query, _acting_operators(each), each) for each in readings]


def _acting_operators(reading: Reading) -> frozenset[str]:
    """Return the operators that act on the query's tokens: no *not* if its caller only names words that it lacks."""
    lacks_words = reading.is_named_by_caller and not reading.scopes[NOT.name]
    return reading.operators - {NOT.name} if lacks_words else reading.operators


def require_one(operators: Any, exclude: Any) -> None:
    """Raise if both are given."""
    if operators is not None and exclude is not None:
        raise ValueError("operators= and exclude= both set what the queries exclude: pass only one")
