"""Debian packages: facets are columns, and tags are worded from their descriptions."""

from lab.tests.catalogs.catalogs import jsonl, packages


def test_tags_are_worded_from_their_descriptions():
    catalog = packages()
    for tag, noun in {
        "use::viewing": "packages for data visualization",
        "implemented-in::python": "packages written in Python",
        "devel::lang:python": "packages for Python development",
        "interface::commandline": "packages with command line interfaces",
        "works-with::image": "packages for working with images",
        "admin::backup": "administration packages for backup and restoration",
        "game::puzzle": "puzzle games",
        "suite::gnome": "packages from GNOME",
        "role::plugin": "plugin packages",
    }.items():
        atom = next(atom for atom in catalog.atoms if atom.value == tag)
        assert atom.wordings("noun", "packages")[0] == noun


def test_entities_have_the_tags_of_the_file():
    catalog, raw = packages(), jsonl("packages.jsonl")
    for atom in catalog.atoms:
        assert list(catalog.ids_of(catalog.answers(atom))) == [row["name"] for row in raw if atom.value in row["tags"]]
    assert {atom.column for atom in catalog.atoms if atom.value.startswith("devel")} == {"devel::lang"}


def test_uninformative_tags_are_skipped():
    values = {atom.value for atom in packages().atoms}
    assert not {"use::TODO", "special::unknown"} & values
    assert len(packages().ids) == 90
