"""What a model learns from: a query, what is known of it, and the texts that do and do not answer it."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from boolattn.data.boolquestions import BoolQuestion
from boolattn.data.quest import QuestQuery
from boolattn.data.setbert import SetBertTriple
from boolattn.generation.catalog.atoms import Atom
from boolattn.generation.catalog.catalog import Catalog
from boolattn.generation.domains.quest import template_operators
from boolattn.generation.generator import GeneratedQuery, canonical_query, matching_negated
from boolattn.generation.passages import PassageQuery
from boolattn.generation.quest_alignment import AlignedAtom, Alignment, align
from boolattn.generation.sentence_triples import SentenceTriple
from boolattn.operators import AND, NOT, OR
from boolattn.reading.caller import labelled_reading
from boolattn.reading.reading import Reading
from boolattn.reading.rules.lexicon import find_cues, phrase_key
from boolattn.reading.spans import Span

# Appendix B: what may stand for SetBERT's "and" and "not"; the paper names no equivalents of "or".
EQUIVALENTS: Mapping[str, tuple[str, ...]] = {
    AND.name: ("as well as", "are also", "including"),
    OR.name: (),
    NOT.name: ("other than", "excluding"),
}

Spans = Mapping[str, tuple[Span, ...]]


@dataclass(frozen=True, slots=True)
class Question:
    """A query and what is known of it.

    Attributes:
        text: What the searcher types.
        operators: The operators it holds.
        cues: For each operator, the words that say it.
        scopes: For each operator, the words it speaks of; None where nobody knows.
        implied: Simpler queries that all its answers answer: of "A and B", "A" and "B".
        excluded: Simpler queries that none of its answers answers: of "A but not B", "B".
        unsure: Operators of which people would not agree whether the query holds them.
    """

    text: str
    operators: frozenset[str]
    cues: Spans
    scopes: Spans | None
    implied: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    unsure: frozenset[str] = frozenset()


def reading_of(question: Question) -> Reading | None:
    """Return the reading of a query by its labels; None where nobody knows its scopes."""
    if question.scopes is None:
        return None
    return labelled_reading(question.text, question.operators, question.cues, question.scopes)


@dataclass(frozen=True, slots=True)
class Example:
    """A query with its answers; of a sentence, also what contradicts it.

    Attributes:
        question: The query.
        positives: What answers it: texts, or, where there is a corpus, identifiers.
        negatives: Texts that do not; none where there is a corpus to draw them from.
        unwanted: Of a corpus, the identifiers of what the query excludes.
    """

    question: Question
    positives: tuple[str, ...]
    negatives: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


def require_known(example: Example, identifiers: Iterable[str], documents: Container[str]) -> None:
    """Raise where an example names a document that the corpus lacks."""
    for identifier in identifiers:
        if identifier not in documents:
            raise ValueError(
                f"{example.question.text!r} names document {identifier!r}, which is not among the documents: add it to "
                f"them, or leave it out of the example"
            )


def example_of_generated(query: GeneratedQuery, catalog: Catalog) -> Example:
    """Return a generated query, of which everything is known, with the identifiers of its answers."""
    implied, excluded = [], []
    for mention in query.mentions if query.operators else ():
        members = catalog.members[mention.atom]
        if mention.sign > 0 and query.answers <= members:
            implied.append(_said_alone(mention.atom, catalog))
        elif mention.sign < 0 and query.answers.isdisjoint(members):
            excluded.append(_said_alone(mention.atom, catalog))
    question = replace(question_of_generated(query), implied=tuple(implied), excluded=tuple(excluded))
    unwanted = matching_negated(catalog, query)
    return Example(question, tuple(catalog.ids_of(query.answers)), unwanted=tuple(catalog.ids_of(unwanted)))


def _said_alone(atom: Atom, catalog: Catalog) -> str:
    return canonical_query(catalog, "_", atom).text


def question_of_generated(query: GeneratedQuery) -> Question:
    """Return what is known of a generated query.

    An *and* that goes without saying is one to some and none to others: "1950s horror films" is a conjunction in a
    catalog with a column of decades, and a single category of Wikipedia, and so of QUEST.
    """
    unsaid = {AND.name} & set(query.operators) if not query.cues.get(AND.name) else set()
    return Question(query.text, frozenset(query.operators), query.cues, query.scopes, unsure=frozenset(unsaid))


def example_of_passages(query: PassageQuery) -> Example:
    """Return a question about one subject with the sentences that answer it; whether it holds *and*, nobody knows."""
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
    """Yield triples of one operator's file, their cues varied as in appendix B and labelled by matching words.

    A triple without a sentence of either kind teaches nothing and is left out.
    """
    rng = Random(f"{seed} {operator} cues")
    for triple in triples:
        if triple.positives and triple.negatives:
            text = vary_cues(triple.gold, operator, rng)
            question = Question(text, frozenset([operator]), matched_cues(text, [operator]), None)
            yield Example(question, triple.positives, triple.negatives)


def vary_cues(text: str, operator: str, rng: Random) -> str:
    """Replace each plain "and" or "not" by itself or one of its equivalents, all equally likely."""
    pieces, end = [], 0
    for span in matched_cues(text, [operator])[operator]:
        if phrase_key(span.of(text)) == operator:
            pieces += [text[end : span.start], rng.choice((span.of(text), *EQUIVALENTS[operator]))]
            end = span.end
    return "".join([*pieces, text[end:]])


def matched_cues(text: str, operators: Iterable[str]) -> Spans:
    """Find the cues of the given operators by matching words."""
    cues = find_cues(text)
    return {operator: tuple(cue.span for cue in cues if cue.operator == operator) for operator in operators}


def example_of_quest(query: QuestQuery) -> Example:
    """Return a query of QUEST: operators by its template, cues by matching words, scopes where they can be aligned."""
    operators = template_operators(query.template)
    cues = matched_cues(query.query, operators)
    if not operators:
        return Example(Question(query.query, operators, cues, scopes={}), query.docs)
    found = align(query.query, query.original_query) if query.original_query else None
    if not isinstance(found, Alignment):
        return Example(Question(query.query, operators, cues, scopes=None), query.docs)
    wanted = [atom for atom in found.atoms if not atom.negated]
    left_out = [atom for atom in found.atoms if atom.negated]
    # No template of QUEST holds both *and* and *or*: whichever there is joins all that is wanted.
    scopes = {operator: _spans_of(left_out if operator == NOT.name else wanted) for operator in operators}
    implied = tuple(atom.text for atom in wanted) if OR.name not in operators else ()
    excluded = tuple(atom.text for atom in left_out)
    return Example(Question(query.query, operators, cues, scopes, implied, excluded), query.docs)


def _spans_of(atoms: Iterable[AlignedAtom]) -> tuple[Span, ...]:
    return tuple(dict.fromkeys(span for atom in atoms for span in atom.spans))


def example_of_boolquestion(question: BoolQuestion) -> Example:
    """Return a question of BoolQuestions with the ids of its answers; nobody marked its scopes."""
    operators = frozenset([question.operator])
    known = Question(question.question, operators, matched_cues(question.question, operators), None)
    return Example(known, question.positives)
