"""Every ``boolattn`` command that a page shows exists, with the options it shows."""

import pytest
from typer.main import get_command

from boolattn.cli import app
from tests.docs.blocks import PAGES, name_of
from tests.docs.references import commands_of, require_command, text_of

PROGRAM = get_command(app)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_commands_of_a_page_exist(page):
    for shown in commands_of(text_of(page)):
        if shown.startswith("boolattn "):
            require_command(shown, PROGRAM)


def test_the_commands_of_the_pages_are_found():
    assert sum(each.startswith("boolattn ") for page in PAGES for each in commands_of(text_of(page))) > 50


def test_commands_are_found_wherever_they_are_shown():
    text = (
        "boolattn is `A=1 boolattn demo` and\n\n    boolattn-lab bench \\\n      queries\n\n"
        "```python\nboolattn x\n```\n```sh\nboolattn y\n```\n"
    )
    assert [each.split() for each in commands_of(text)] == [
        ["boolattn", "demo"],
        ["boolattn-lab", "bench", "queries"],
        ["boolattn", "y"],
    ]


@pytest.mark.parametrize("shown", ["boolattn dev", "boolattn demo --nothing", "boolattn search x --index=y -n"])
def test_a_command_that_does_not_exist_is_noticed(shown):
    with pytest.raises(AssertionError, match=r"no (command|option)"):
        require_command(shown, PROGRAM)
