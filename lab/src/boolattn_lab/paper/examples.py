"""Training examples: a query, its labels, and texts that do and do not answer it."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from boolattn.operators import AND, NOT, OPERATORS, OR
from boolattn.reading.caller import labelled_reading
from boolattn.reading.reading import Reading
from boolattn.reading.rules.lexicon import find_cues, phrase_key
from boolattn.reading.spans import Span
from boolattn_lab.catalogs.atoms import Atom
from boolattn_lab.catalogs.catalog import Catalog
from boolattn_lab.catalogs.generator import GeneratedQuery, canonical_query, matching_negated
from boolattn_lab.catalogs.passages import PassageQuery
from boolattn_lab.catalogs.quest import template_operators
from boolattn_lab.catalogs.quest_alignment import AlignedAtom, Alignment, align
from boolattn_lab.catalogs.sentence_triples import SentenceTriple
from boolattn_lab.formats.boolquestions import BoolQuestion
from boolattn_lab.formats.quest import QuestQuery
from boolattn_lab.formats.setbert import SetBertTriple

# Appendix B: what may replace SetBERT's "and" and "not"; the paper names no equivalents of "or". A conjunction before
# "not" is replaced with it: "seafood excluding sushi" is English, "seafood but excluding sushi" hardly.
_AND_EQUIVALENTS = ("as well as", "are also", "including")
_NOT_EQUIVALENTS = ("other than", "excluding")
EQUIVALENTS: Mapping[str, tuple[str, ...]] = {
    "and": _AND_EQUIVALENTS,
    "not": _NOT_EQUIVALENTS,
    "but not": _NOT_EQUIVALENTS,
    "and not": _NOT_EQUIVALENTS,
}

Spans = Mapping[str, tuple[Span, ...]]


@dataclass(frozen=True, slots=True)
class Question:
    """A query and its labels.

    Attributes:
        text: The query as typed.
        operators: The operators it contains.
        cues: For each operator, the words that express it.
        scopes: For each operator, the words it applies to; None if unknown.
        implied: Simpler queries that all its answers match: for "A and B", "A" and "B".
        excluded: Simpler queries that none of its answers match: for "A but not B", "B".
        unsure: Operators on which annotators would disagree.
    """

    text: str
    operators: frozenset[str]
    cues: Spans
    scopes: Spans | None
    implied: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    unsure: frozenset[str] = frozenset()


def reading_of(question: Question) -> Reading | None:
    """Return the reading of a query from its labels; None if its scopes are unknown."""
    if question.scopes is None:
        return None
    return labelled_reading(question.text, question.operators, question.cues, question.scopes)


@dataclass(frozen=True, slots=True)
class Example:
    """A query with its answers; for a sentence, also what contradicts it.

    Attributes:
        question: The query.
        positives: Its answers: texts or, if there is a corpus, document IDs.
        negatives: Texts that do not answer it; empty if there is a corpus to draw them from.
        unwanted: In a corpus, the IDs of documents that the query excludes.
    """

    question: Question
    positives: tuple[str, ...]
    negatives: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


def require_known(example: Example, identifiers: Iterable[str], documents: Container[str]) -> None:
    """Raise if an example refers to a document that is not in the corpus."""
    for identifier in identifiers:
        if identifier not in documents:
            raise ValueError(
                f"{example.question.text!r} refers to document {identifier!r}, which is not in the corpus: add it to "
                f"the documents, or remove it from the example"
            )


def example_of_generated(query: GeneratedQuery, catalog: Catalog) -> Example:
    """Return a fully labelled generated query with the IDs of its answers."""
    implied, excluded = [], []
    for mention in query.mentions if query.operators else ():
        members = catalog.members[mention.atom]
        if mention.sign > 0 and query.answers <= members:
            implied.append(_query_for(mention.atom, catalog))
        elif mention.sign < 0 and query.answers.isdisjoint(members):
            excluded.append(_query_for(mention.atom, catalog))
    question = replace(question_of_generated(query), implied=tuple(implied), excluded=tuple(excluded))
    unwanted = matching_negated(catalog, query)
    return Example(question, tuple(catalog.ids_of(query.answers)), unwanted=tuple(catalog.ids_of(unwanted)))


def _query_for(atom: Atom, catalog: Catalog) -> str:
    return canonical_query(catalog, "_", atom).text


def question_of_generated(query: GeneratedQuery) -> Question:
    """Return the labels of a generated query.

    An implicit *and* is ambiguous: "1950s horror films" is a conjunction in a catalog with a column of decades, but a
    single category in Wikipedia, and so in QUEST.
    """
    implicit = {AND.name} & set(query.operators) if not query.cues.get(AND.name) else set()
    return Question(query.text, frozenset(query.operators), query.cues, query.scopes, unsure=frozenset(implicit))


def example_of_passages(query: PassageQuery) -> Example:
    """Return a question about one subject with the sentences that answer it; whether it contains *and* is unknown."""
    held = frozenset([NOT.name] if query.scope else [])
    cues, scopes = ({NOT.name: (span,)} if span else {} for span in (query.cue, query.scope))
    question = Question(query.text, held, cues, scopes, unsure=frozenset([AND.name]))
    return Example(question, query.answers, unwanted=query.unwanted)


def example_of_sentences(triple: SentenceTriple) -> Example:
    """Return a generated triple."""
    return Example(
        question_of_generated(triple.gold),
        tuple(sentence.text for sentence in triple.positives),
        tuple(sentence.text for sentence in triple.negatives),
    )


def examples_of_setbert(triples: Iterable[SetBertTriple], operator: str, seed: int) -> Iterator[Example]:
    """Yield triples of one operator's file, with cues varied as in appendix B and labelled by word matching.

    Labels are multi-label, as in the paper: "countries in Europe and Asia but not Russia", in the file of *not*, also
    contains *and*. A triple without a sentence of either kind teaches nothing and is skipped.
    """
    rng = Random(f"{seed} {operator} cues")
    for triple in triples:
        if triple.positives and triple.negatives:
            text = vary_cues(triple.gold, rng)
            cues = {name: spans for name, spans in matched_cues(text, OPERATORS).items() if spans or name == operator}
            yield Example(Question(text, frozenset(cues), cues, None), triple.positives, triple.negatives)


def vary_cues(text: str, rng: Random) -> str:
    """Replace each "and" and "not" by itself or one of its equivalents, all equally likely."""
    pieces, end = [], 0
    for _, span in find_cues(text):
        if equivalents := EQUIVALENTS.get(phrase_key(span.of(text))):
            pieces += [text[end : span.start], rng.choice((span.of(text), *equivalents))]
            end = span.end
    return "".join([*pieces, text[end:]])


def matched_cues(text: str, operators: Iterable[str]) -> Spans:
    """Find the cues of the given operators by word matching."""
    cues = find_cues(text)
    return {operator: tuple(cue.span for cue in cues if cue.operator == operator) for operator in operators}


def example_of_quest(query: QuestQuery) -> Example:
    """Return a QUEST query: operators from its template, cues by word matching, scopes if they can be aligned."""
    operators = template_operators(query.template)
    cues = matched_cues(query.query, operators)
    if not operators:
        return Example(Question(query.query, operators, cues, scopes={}), query.docs)
    found = align(query.query, query.original_query) if query.original_query else None
    if not isinstance(found, Alignment):
        return Example(Question(query.query, operators, cues, scopes=None), query.docs)
    wanted = [atom for atom in found.atoms if not atom.negated]
    unwanted = [atom for atom in found.atoms if atom.negated]
    # No QUEST template has both *and* and *or*: either one joins everything wanted.
    scopes = {operator: _spans_of(unwanted if operator == NOT.name else wanted) for operator in operators}
    implied = tuple(atom.text for atom in wanted) if OR.name not in operators else ()
    excluded = tuple(atom.text for atom in unwanted)
    return Example(Question(query.query, operators, cues, scopes, implied, excluded), query.docs)


def _spans_of(atoms: Iterable[AlignedAtom]) -> tuple[Span, ...]:
    return tuple(dict.fromkeys(span for atom in atoms for span in atom.spans))


def example_of_boolquestion(question: BoolQuestion) -> Example:
    """Return a BoolQuestions question with the IDs of its answers; its scopes are unlabelled."""
    operators = frozenset([question.operator])
    known = Question(question.question, operators, matched_cues(question.question, operators), None)
    return Example(known, question.positives)
