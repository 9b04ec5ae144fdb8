"""The list of commands, and that an option means the same in all of them."""

from collections import defaultdict

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from boolattn_lab.cli import app

SHARED = ("--model", "--data", "--json", "--index", "--reader", "--documents", "--strictness")


def _commands(command, name=()):
    found = {} if hasattr(command, "commands") else {name: command}
    for part, inner in getattr(command, "commands", {}).items():
        found |= _commands(inner, (*name, part))
    return found


COMMANDS = _commands(get_command(app))


def test_there_are_few_commands():
    names = ("bench", "chaos", "demo-vectors", "evaluate", "scale", "ship", "study", "study-table", "train")
    assert {name[0] for name in COMMANDS} == set(names)


@pytest.mark.parametrize("option", SHARED)
def test_a_shared_option_has_one_meaning(option):
    meanings = defaultdict(list)
    for name, command in COMMANDS.items():
        for parameter in command.params:
            if option in parameter.opts:
                meanings[parameter.help.split(" Also ")[0]].append(name)  # evaluate's --model takes more names
    assert len(meanings) == 1, dict(meanings)


@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_every_command_has_help(name):
    done = CliRunner().invoke(app, [*name, "--help"])
    assert done.exit_code == 0 and "Usage" in done.output
