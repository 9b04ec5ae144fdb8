import gzip
import tracemalloc

import pytest
import zstandard
from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import BadRowError, read_films, read_pages
from boolattn_lab.formats.lines import open_for_writing


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)]
)
def test_compressed_files_read_as_plain_ones(tmp_path, suffix, compress):
    plain = FIXTURES / "pages.jsonl"
    packed = tmp_path / f"pages.jsonl{suffix}"
    packed.write_bytes(compress(plain.read_bytes()))
    assert list(read_pages(packed)) == list(read_pages(str(plain)))


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)]
)
def test_files_joined_after_compression_read_to_the_end(tmp_path, suffix, compress):
    part = compress((FIXTURES / "films.jsonl").read_bytes())
    packed = tmp_path / f"films.jsonl{suffix}"
    packed.write_bytes(part + part)
    assert len(list(read_films(packed))) == 4


def test_a_damaged_archive_is_named(tmp_path):
    path = tmp_path / "pages.jsonl.gz"
    path.write_bytes(gzip.compress((FIXTURES / "pages.jsonl").read_bytes())[:-12])
    with pytest.raises(OSError, match=r"pages\.jsonl\.gz is damaged after line \d"):
        list(read_pages(path))
    path = tmp_path / "pages.jsonl.zst"
    path.write_bytes(b"no archive at all")
    with pytest.raises(OSError, match=r"pages\.jsonl\.zst is damaged after line 0"):
        list(read_pages(path))


def test_a_row_cut_off_with_its_archive_is_an_error(tmp_path):
    path = tmp_path / "pages.jsonl.zst"
    whole = b"".join(b'{"title": "%d", "text": "%d"}\n' % (row, row**9) for row in range(30_000))
    packed = zstandard.ZstdCompressor().compress(whole)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(BadRowError, match="truncated"):
        list(read_pages(path))


def test_a_missing_file_is_named_when_reading_starts(tmp_path):
    rows = read_pages(tmp_path / "none.jsonl")
    with pytest.raises(FileNotFoundError, match=r"none\.jsonl"):
        next(rows)


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_streaming_keeps_one_row_in_memory(tmp_path, suffix):
    path = tmp_path / f"pages.jsonl{suffix}"
    rows = 40_000
    with open_for_writing(path) as file:
        for row in range(rows):
            file.write(f'{{"title": "page {row}", "text": "{row:0500d}"}}\n')
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_pages(path)) == rows
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000, f"{peak / 1e6:.1f} MB held for a file of 20 MB"
