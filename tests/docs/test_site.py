"""The documentation site: it builds without a warning, and what it points to exists."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

import boolattn
from tests.docs.blocks import ROOT

DOCS = ROOT / "docs"


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml, whose settings may name Python functions."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: suffix)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


class _Page(HTMLParser):
    """Collects what a page links to and what it can be linked by."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        self.links += [found[name] for name in ("href", "src") if found.get(name)]


def test_every_link_of_the_site_resolves(site):
    pages = {path: _Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) == len(list(DOCS.glob("*.md")))
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            known = pages.get(target)
            if not target.exists() or (known and unquote(parts.fragment) not in known.anchors):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken


def test_pages_load_nothing_from_other_hosts(site):
    for path in site.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|img|link|iframe)\b[^>]*?(?:src|href)=[\"']?(https?:[^\"' >]+)", path.read_text()
        )
        assert not loaded, f"{path.relative_to(site)}: {loaded}"


def test_the_reference_documents_every_public_name(site):
    anchors = _Page(site / "api" / "index.html").anchors
    homes = boolattn._HOME | {"read": "boolattn"}
    missing = [n for n in boolattn.__all__ if not anchors & {f"boolattn.{n}", f"{homes[n]}.{n}"}]
    assert not missing


def test_llms_txt_lists_every_page(site):
    listed = re.findall(r"\]\(([\w-]+)/\):", (site / "llms.txt").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(path.stem for path in DOCS.glob("*.md") if path.stem != "index")


def test_llms_txt_and_the_menu_agree_on_titles():
    menu = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), _Loader)["nav"]
    titles = {page: title for entry in menu for pages in entry.values() if isinstance(pages, list) for each in pages
              for title, page in each.items()}  # fmt: skip
    listed = re.findall(r"- \[(.+?)\]\(([\w-]+)/\)", (DOCS / "llms.txt").read_text(encoding="utf-8"))
    assert {f"{page}.md": title for title, page in listed} == titles
