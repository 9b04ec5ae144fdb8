"""The lines for Milvus in the documentation, on a server."""

from sentence_transformers import SentenceTransformer

from tests.docs.blocks import ROOT, blocks_of, require_shown, run_python


def test_the_page_fixes_a_milvus_collection(milvus, minilm_folder):
    blocks = blocks_of(ROOT / "docs" / "existing-index.md")
    names = {}
    run_python(blocks[0].code, names)  # the films and the query
    base = blocks[1].code.replace("sentence-transformers/all-MiniLM-L6-v2", str(minilm_folder))
    run_python(base, names)
    assert isinstance(names["model"], SentenceTransformer)
    block = next(block for block in blocks if "MilvusClient" in block.code)
    address = str(milvus.uri).replace("milvus://", "http://")
    code = block.code.replace("http://localhost:19530", address).replace('"films"', '"films_of_the_page"')
    try:
        require_shown(block.output, run_python(code, names))
    finally:
        names["client"].drop_collection("films_of_the_page")
