"""Benchmarks with two documents per query: the wanted one must rank above the excluded one."""

from pathlib import Path

from boolattn_lab.benchmarks.tasks import PairTask
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.pairs import read_document_pairs, read_excluir_corpus, read_excluir_queries, read_nevir


def nevir(data: DataFolder) -> PairTask:
    """NevIR: two documents and two queries that differ by a negation; both queries must be ranked correctly."""
    folder = data.path / "nevir"
    folder.stat()
    queries, pairs, documents, rows = {}, {}, {}, {}
    for number, row in enumerate(read_nevir(source=str(folder), skip=data.skip)):
        first, second = f"{number}-1", f"{number}-2"
        queries[first], queries[second] = row.q1, row.q2
        documents[first], documents[second] = row.doc1, row.doc2
        pairs[first], pairs[second] = (first, second), (second, first)
        rows[str(number)] = (first, second)
    return PairTask("nevir", queries, pairs, documents, rows)


def excluir(data: DataFolder) -> PairTask:
    """ExcluIR: queries with exclusions; the wanted document must rank above the excluded one."""
    folder = data.path / "excluir"
    queries = {
        str(number): query
        for number, query in enumerate(read_excluir_queries(folder / "test_manual_final.json", data.skip))
    }
    needed = {each for query in queries.values() for each in (query.wanted, query.excluded)}
    corpus = read_excluir_corpus(folder / "corpus.json", data.skip)
    documents = {each.doc_id: f"{each.title} {each.text}".strip() for each in corpus if each.doc_id in needed}
    if missing := needed - documents.keys():
        raise FileNotFoundError(f"the {len(missing)} documents {folder / 'corpus.json'} lacks, such as {min(missing)}")
    return PairTask(
        "excluir",
        {key: query.query for key, query in queries.items()},
        {key: (query.wanted, query.excluded) for key, query in queries.items()},
        documents,
    )


def excluir_pairs(data: DataFolder) -> PairTask:
    """1,000 of ExcluIR's queries, with both documents in the file."""
    return _pairs("excluir-pairs", data.path / "excluir-pairs" / "pairs_1000.jsonl", data)


def boolquestions_not(data: DataFolder) -> PairTask:
    """323 of BoolQuestions' *not* questions, with a wanted and an unwanted passage."""
    return _pairs("boolquestions-not", data.path / "boolquestions-not" / "not_323.jsonl", data)


def _pairs(name: str, path: Path, data: DataFolder) -> PairTask:
    rows = {str(number): row for number, row in enumerate(read_document_pairs(path, data.skip))}
    documents = {}
    for key, row in rows.items():
        documents[f"{key}-wanted"], documents[f"{key}-excluded"] = row.wanted, row.excluded
    return PairTask(
        name,
        {key: row.query for key, row in rows.items()},
        {key: (f"{key}-wanted", f"{key}-excluded") for key in rows},
        documents,
    )
