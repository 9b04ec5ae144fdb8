"""boolattn demo."""

from rich.console import Console

from boolattn.cli.errors import user_errors


def demo() -> None:
    """Show what changes for three queries over a few films: no data, no network, no torch."""
    from boolattn.demo.output import answer, read_queries, render
    from boolattn.demo.sample_films import load_films

    with user_errors():
        index = load_films()
        answers = [answer(index, reading) for reading in read_queries()]
    Console().print(render(answers, len(index.films)))
