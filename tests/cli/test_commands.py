"""The list of commands, and that an option means the same in all of them."""

from collections import defaultdict

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from boolattn.cli import app

SHARED = ("--model", "--json", "--index", "--reader", "--documents", "--strictness", "--exclude", "--syntax")


def _commands(command, name=()):
    found = {} if hasattr(command, "commands") else {name: command}
    for part, inner in getattr(command, "commands", {}).items():
        found |= _commands(inner, (*name, part))
    return found


COMMANDS = _commands(get_command(app))


def test_there_are_few_commands():
    names = ("demo", "read", "encode", "index", "search", "drop", "explain", "export", "serve", "keys")
    assert set(COMMANDS) == {(name,) for name in names}


@pytest.mark.parametrize("option", SHARED)
def test_a_shared_option_has_one_meaning(option):
    meanings = defaultdict(list)
    for name, command in COMMANDS.items():
        for parameter in command.params:
            if option in parameter.opts:
                meanings[parameter.help].append(name)
    assert len(meanings) == 1, dict(meanings)


@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_every_command_has_help(name):
    done = CliRunner().invoke(app, [*name, "--help"])
    assert done.exit_code == 0 and "Usage" in done.output
