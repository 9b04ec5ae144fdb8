"""A small data folder of the official shapes, made up."""

import json
from pathlib import Path

import zstandard

FILMS = [
    ("Laughing Guns", 1955, ["Ann Lee"], ["Comedy", "Western"], "A comedy western about two clumsy gunfighters."),
    ("Dusty Trail", 1953, ["Bob Ray"], ["Western"], "A western about a long cattle drive to Abilene."),
    ("The Jester", 1957, ["Ann Lee"], ["Comedy"], "A comedy about a court jester who loses his voice."),
    ("Night of Fear", 1962, ["Cy Dow"], ["Horror"], "A horror film about a haunted lighthouse."),
]


def make(folder: Path) -> Path:
    """Write the folder and return it."""
    _lines(
        folder / "quest" / "test.jsonl",
        [
            _quest("comedy films that are not westerns", "_ that are not _", ["The Jester", "Alpha", "Beta"]),
            _quest("horror films", "_", ["Night of Fear", "Nowhere to be found"]),
            _quest("seen in training", "_", ["Alpha"]),
        ],
    )
    _lines(folder / "quest" / "train.jsonl", [_quest("seen in training", "_", ["Alpha"])])
    extracts = {film[0]: film[4] for film in FILMS} | {"Alpha": "First letter.", "Beta": "Second letter."}
    corpus = [{"title": title, "text": text} for title, text in extracts.items()]
    _lines(folder / "quest" / "documents.jsonl", corpus)
    pages = [{"title": "Alpha", "text": "First letter."}, {"title": "Beta", "text": "Second letter."}]
    _lines(folder / "wiki-intros" / "wiki_intros.jsonl.zst", [*pages, {"title": "The Jester", "text": "Again."}])
    films = [
        {"title": t, "year": y, "cast": c, "genres": g, "href": t.replace(" ", "_"), "extract": e}
        for t, y, c, g, e in FILMS
    ]
    _lines(folder / "films" / "films.jsonl.zst", films)
    beir = folder / "negconstraint"
    _lines(beir / "corpus.jsonl", [{"_id": str(n), "title": f[0], "text": f[4]} for n, f in enumerate(FILMS)])
    _lines(beir / "queries.jsonl", [{"_id": "q", "text": "comedy about a jester, but don't mention westerns"}])
    (beir / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\t2\t1\n")
    _lines(folder / "nevir" / "test.jsonl", [
        {"q1": "a comedy with guns", "q2": "a haunted lighthouse", "doc1": FILMS[0][4], "doc2": FILMS[3][4]}
    ])  # fmt: skip
    excluir = folder / "excluir"
    excluir.mkdir()
    (excluir / "test_manual_final.json").write_text(json.dumps(
        [{"question0": "?", "RQ_rewrite": "comedies about jesters apart from westerns", "corpus_sub_index": [1, 2]}]
    ))  # fmt: skip
    (excluir / "corpus.json").write_text(json.dumps([film[4] for film in FILMS]))
    _lines(folder / "comlq" / "corpus.jsonl", [{"_id": str(n), "text": film[4]} for n, film in enumerate(FILMS)])
    _lines(folder / "comlq" / "queries.jsonl", [
        {"_id": "1", "text": "which comedy is not a western", "type": "2in_1"},
        {"_id": "2", "text": "which western is not a comedy", "type": "2in_1"},
        {"_id": "3", "text": "a haunted lighthouse", "type": "1p"},
    ])  # fmt: skip
    (folder / "comlq" / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\t2\t2\n1\t0\t1\n2\t1\t2\n3\t3\t2\n")
    for name, file in (("excluir-pairs", "pairs_1000"), ("boolquestions-not", "not_323")):
        _lines(folder / name / f"{file}.jsonl", [
            {"query": "clumsy gunfighters, excluding cattle drives", "doc1": FILMS[0][4], "doc2": FILMS[1][4]},
            {"query": "a jester at court", "doc1": FILMS[2][4], "doc2": FILMS[0][4]},
            {"query": "a haunted lighthouse", "doc1": FILMS[1][4], "doc2": FILMS[3][4]},
        ])  # fmt: skip
    _lines(folder / "stackfaq" / "threads.jsonl", [
        {"id": 0, "question": "?", "rephrased": ["Is a bread machine any good?", "baking without a bread machine"],
         "answers": ["A bread machine is not needed: any bread machine recipe works by hand.", "No bread machine."]},
        {"id": 1, "question": "?", "rephrased": ["bake a cake"], "answers": ["Baking a cake in the oven, an hour."]},
    ])  # fmt: skip
    kinds = [["onions"], ["celery"], ["onions", "celery"], ["rice", "onions"], ["rice", "celery"], ["carrots"]]
    _lines(folder / "recipes" / "recipes.jsonl.zst", [
        {"id": f"{n}-{'-'.join(kind)}", "title": f"Soup {n}", "ingredients": [f"1 cup {each}" for each in kind],
         "source": "example.org"}
        for kind in kinds for n in range(12)
    ])  # fmt: skip
    story = folder / "cd-sco"
    story.mkdir()
    rows = ["I\t_\tI\t_", "did\t_\tdid\t_", "not\tnot\t_\t_", "go\t_\tgo\tgo", ".\t_\t_\t_"]
    tokens = [
        f"s\t0\t{n}\t{row.split(chr(9))[0]}\tx\tX\t*\t" + "\t".join(row.split("\t")[1:]) for n, row in enumerate(rows)
    ]
    (story / "sherlock_circle.txt").write_text("\n".join(tokens) + "\n\n")
    (story / "sherlock_cardboard.txt").write_text("s\t0\t0\tYes\tyes\tUH\t*\t***\n\n")
    return folder


def _quest(query: str, template: str, docs: list[str]) -> dict:
    return {"query": query, "docs": docs, "original_query": None, "scores": None,
            "metadata": {"template": template, "domain": "films"}}  # fmt: skip


def _lines(path: Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(zstandard.compress(data) if path.suffix == ".zst" else data)
