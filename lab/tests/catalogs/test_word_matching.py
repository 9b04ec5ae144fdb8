from boolattn.reading.spans import plain_marks
from boolattn_lab.catalogs.word_matching import _stem, content_words, meanings


def meant(text: str, stems: set[str]) -> dict[str, set[str]]:
    words = content_words(text)
    return {word.span.of(text): set(stems_of) for word, stems_of in zip(words, meanings(words, stems), strict=True)}


def stems(text: str) -> set[str]:
    return {word.stem for word in content_words(text)}


def test_inflections_apostrophes_and_accents_make_no_difference():
    assert stems("1980's children\u2019s Açaí films") == stems("1980s Acai film children")


def test_function_words_carry_no_meaning():
    assert [word.span.of("the birds of a Peru") for word in content_words("the birds of a Peru")] == ["birds", "Peru"]


def test_synonyms_match_missing_words():
    assert meant("UK movies", stems("United Kingdom films")) == {"UK": {"unit", "kingdom"}, "movies": {"film"}}
    assert meant("plants", {"flora"}) == {"plants": {"flora"}}
    assert meant("plants and flora", {"flora"}) == {"plants": set(), "flora": {"flora"}}


def test_similar_words_match_only_if_the_word_is_missing():
    assert meant("Swedish", {"sweden"}) == {"Swedish": {"sweden"}}
    assert meant("Austria Australia", stems("Australia")) == {"Austria": set(), "Australia": stems("Australia")}


def test_years_match_only_if_equal():
    assert meant("1996", {"1990s"}) == {"1996": set()}
    assert meant("1990", {"1990s"}) == {"1990": {"1990s"}}


def test_plain_marks_keep_every_offset():
    text = "a “b” \u2013 c\u2019s\uff0cd"
    assert plain_marks(text) == 'a "b" - c\'s,d'
    assert len(plain_marks(text)) == len(text)


def test_the_stem_cache_is_bounded():
    assert _stem.cache_parameters()["maxsize"] == 65_536
