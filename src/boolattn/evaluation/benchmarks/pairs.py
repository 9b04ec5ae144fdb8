"""Benchmarks that ask which of two documents ranks higher."""

from boolattn.data.excluir import read_excluir_corpus, read_excluir_queries
from boolattn.data.folder import DataFolder
from boolattn.data.nevir import read_nevir
from boolattn.evaluation.tasks import PairTask


def nevir(data: DataFolder) -> PairTask:
    """NevIR: two queries that differ by a negation, two documents; both must come out right."""
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
    """ExcluIR: queries that exclude; the document wanted must rank above the one excluded."""
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
