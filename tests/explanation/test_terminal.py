import io

from rich.console import Console

from boolattn.explanation.terminal import printable, render
from tests.explanation.handmade import handmade
from tests.explanation.queries import HOSTILE, LONG, PLAIN, TWO_NEGATIONS, VIETNAM


def printed(explanation, encoding="utf-8", **options):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    Console(file=file, **({"width": 100} | options)).print(render(explanation))
    file.flush()
    return raw.getvalue().decode(encoding)


def test_plain_output_says_all(explain):
    text = printed(explain(VIETNAM))
    line, *_ = text.splitlines()
    assert line == "movies set in Vietnam _but not_ about [-war-]"
    assert "\x1b" not in text
    assert 'Excludes "war", because of "but not".' in text
    assert "+ movies set in Vietnam\n- war\n" in text
    assert "rules A lexicon of phrases; nothing here was learned." in text
    assert "[-excluded-]  _operator word_" in text and "bias: added to the attention scores" in text
    (row,) = [row for row in text.splitlines() if row.startswith("[-war-]")]
    assert row.split()[1:3] == ["not", "-4.0"] and row.split()[-1] == "-0.30"
    before, after = (float(row.split()[place]) for place in (3, 5))
    assert before > 5 * after


def test_colour_strikes_out_and_underlines():
    explanation = handmade("films not war", {"not": ["not"]}, {"not": ["war"]})
    text = printed(explanation, force_terminal=True, color_system="standard")
    assert "\x1b[9;31mwar\x1b[0m" in text  # struck through, red
    assert "\x1b[4;35mnot\x1b[0m" in text  # underlined, magenta


def test_no_color_keeps_the_marks(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    explanation = handmade("films not war", {"not": ["not"]}, {"not": ["war"]})
    text = printed(explanation, force_terminal=True)
    assert "31m" not in text and "35m" not in text and "[-" in text


def test_an_unchanged_query_is_reported_without_a_table(explain):
    text = printed(explain(PLAIN))
    assert text.startswith(f"{PLAIN}\n\nNothing was changed")
    assert "->" not in text


def test_joined_words_and_both_negations(explain):
    text = printed(explain(TWO_NEGATIONS))
    assert 'because of "not".' in text and 'because of "without".' in text
    both = printed(handmade("films or plays", {"or": ["or"]}, {"or": ["films", "plays"]}))
    assert both.startswith("{films} _or_ {plays}\n") and "{joined}" in both


def test_only_words_that_were_acted_on_are_listed(explain):
    rows = printed(explain(LONG)).split("word ")[1].splitlines()
    assert not any(row.startswith(("novels", "sea")) for row in rows)
    assert any(row.startswith("[-pirates-]") for row in rows) and any(row.startswith("other words") for row in rows)


def test_a_query_cannot_control_the_terminal():
    text = printed(handmade("films\x1b[2J\x07 not\n[bold]war[/bold] \u202ex", {"not": ["not"]}, {"not": ["war"]}))
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "[bold][-war-][/bold]" in text
    styled = printed(handmade("films not [red]war", {"not": ["not"]}, {"not": ["[", "red", "]", "war"]}))
    assert styled.startswith("films _not_ [-[red]war-]") and 'Excludes "[red]war"' in styled
    assert printed(handmade(HOSTILE)).count("<script>") == 2  # the line and the plan, as written


def test_nothing_is_printed_that_hides_or_breaks_a_line():
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore")
    hidden = f"a\u2028b\u2029c\u202ed\u200be\ufeff{tags}\ud800\x1b[31m"
    assert printable(hidden) == f"a?b?c?d?e?{'?' * 6}??[31m"
    assert printable("שלום نامه‌ای 👩‍🚀 naïve 電影") == "שלום نامه‌ای 👩‍🚀 naïve 電影"
