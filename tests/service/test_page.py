"""The page in a real browser, against the real service."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from boolattn.explanation.words import MINUS
from boolattn.retrieval.corpus.documents import survey
from boolattn.retrieval.shards.encoding import encode_corpus
from boolattn.service.keys import add_key
from tests.explanation.test_browser import browser  # noqa: F401  # a fixture
from tests.hub_cache import NAME
from tests.service.conftest import filled
from tests.service.running import ROOT, Running, running

VIETNAM = "movies set in Vietnam but not about war"
PROPERTY = "films that are not comedies"
HOSTILE, SCRIPT = '<img src=x onerror="document.title=1">', "<script>document.title=1</script>"
WIDTHS = (390, 1280)
AXE = ROOT / ".venv/share/axe-core/axe.min.js"


@pytest.fixture(scope="module")
def film_vectors(model, tmp_path_factory) -> dict[str, Path]:
    """The vectors of the example films; and with another one, which tries to run a script."""
    folder = tmp_path_factory.mktemp("page")
    films = (ROOT / "examples/films.jsonl").read_text(encoding="utf-8")
    hostile = {"_id": "hostile", "title": HOSTILE, "year": 2000, "genres": ["x"], "text": f"Vietnam {SCRIPT} {HOSTILE}"}
    for name, text in {"films": films, "hostile": f"{films}{json.dumps(hostile)}\n"}.items():
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
        encode_corpus(survey(folder / f"{name}.jsonl"), model, folder / name, name=NAME, progress=False)
    return {name: folder / name for name in ("films", "hostile")}


@pytest.fixture(scope="module")
def films(film_vectors, tmp_path_factory):
    """A service with two indexes."""
    folder = tmp_path_factory.mktemp("films")
    films, hostile = (filled(f"lance://{folder}/{name}", vectors) for name, vectors in film_vectors.items())
    with running(folder, "--index", films, "--index", hostile) as found:
        yield found


class Page:
    """What a person does on the page."""

    def __init__(self, browser, url):  # noqa: F811
        self.browser, self.url = browser, url

    def resize(self, width, height=900):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def open(self, width=1280, scheme="light"):
        self.resize(width)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        self.browser.get(self.url)
        return self

    def __getitem__(self, name):
        return self.browser.find_element(By.ID, name)

    def texts(self, selector):
        """Return what can be seen, at one moment: the page may replace its elements at any time."""
        return self.browser.execute_script(
            "const found = [...document.querySelectorAll(arguments[0])];"
            "return found.filter(each => each.checkVisibility()).map(each => each.innerText)",
            selector,
        )

    def wait(self, what):
        return WebDriverWait(self.browser, 60).until(lambda _: what())

    def search(self, query):
        self["query"].clear()
        self["query"].send_keys(query)
        return self.go()

    def go(self):
        self["go"].click()
        return self.settled()

    def settled(self):
        self.wait(lambda: "busy" not in self.browser.find_element(By.TAG_NAME, "body").get_attribute("class").split())
        return self

    def choose(self, name, value):
        self.browser.find_element(By.CSS_SELECTOR, f"input[name={name}][value={value}]").click()
        return self.settled()

    def explain(self):
        self.browser.find_element(By.CSS_SELECTOR, "#explain > summary").click()
        self.wait(lambda: self.texts("#explanation tbody tr"))

    def follow(self, text):
        """Follow a link of the reading."""
        self.browser.find_element(By.LINK_TEXT, text).click()
        return self.settled()

    def open_address(self, address):
        self.browser.get(address)
        self.wait(lambda: self.texts("#ours h3"))
        return self.settled()

    def errors(self):
        """Return what the console says; a failed request is listed there too, and is no fault of the page."""
        return [each for each in self.browser.get_log("browser") if "the server responded" not in each["message"]]


@pytest.fixture
def page(browser, films):  # noqa: F811
    browser.get_log("browser")
    page = Page(browser, films.url).open()
    page.wait(page["index-choice"].is_displayed)
    yield page
    assert page.errors() == []


def test_hits_with_reasons_next_to_the_plain_answer(page):
    page.search(VIETNAM)
    ours, plain = page.texts("#ours h3"), page.texts("#plain h3")
    assert len(ours) == len(plain) == 10
    assert "The Long Patrol" in plain[0] and not any("The Long Patrol" in title for title in ours)
    assert "not in the Boolean 10" in page.texts("#plain .head")[0]
    atoms = page.texts("#ours .hit:first-child .atoms li")
    assert any("movies set in Vietnam" in atom for atom in atoms) and any("war" in atom for atom in atoms)
    effects = page.texts("#ours .atoms .number")
    answer = httpx.post(page.url + "/v1/search", json={"query": VIETNAM, "index": "films"}, timeout=60).json()
    expected = [atom["effect"] for hit in answer["hits"] for atom in hit["atoms"]]
    assert len(effects) == len(expected)
    for text, effect in zip(effects, expected, strict=True):
        said = f"raised +{effect:.3f}" if effect > 0 else f"lowered {MINUS}{-effect:.3f}"
        assert text == ("no effect" if abs(effect) < 0.0005 else said)
    assert page["status"].text == "10 hits in films. The query excludes “war”."
    assert page["status"].get_attribute("role") == "status"


def test_what_was_read(page):
    page.search(VIETNAM)
    assert page["read-query"].text == VIETNAM
    assert page.texts("#read-query del") == ["war"] and page.texts("#read-query u") == ["but not"]
    read = httpx.post(page.url + "/v1/read", json={"query": VIETNAM, "documents": "things"}, timeout=60).json()[
        "reading"
    ]
    [line] = page.texts("#exclusions li")
    assert line.split("\n") == [
        "war",
        "topic",
        f"{int(read['exclusions'][0]['confidence'] * 1000) / 10} %",
        "applied",
        "Do not exclude it",
    ]
    assert page["reader"].text == f"Reader {read['reader']} (by the learned reader)", "one number decides, and is above"
    assert page["plan"].text == "movies set in Vietnam NOT war"


def test_spans_count_code_points(page):
    page.browser.execute_script("document.getElementById('query').value = arguments[0]", "😀🇻🇳 " + VIETNAM)
    page.go()
    assert page["read-query"].text == "😀🇻🇳 " + VIETNAM
    assert page.texts("#read-query del") == ["war"]
    page.explain()
    assert page.texts("#explanation th del") == ["war"]


def test_the_off_switch(page):
    page.search(VIETNAM)
    ours = page.texts("#ours h3")
    page.choose("acting", "report")
    assert page.texts("#ours h3") == page.texts("#plain h3") != ours
    assert page.texts("#read-query del") == [] and page.texts("#read-query .seen") == ["war"]
    assert page.texts("#exclusions .not-applied") == ["not applied"]
    assert "not applied" in page["status"].text
    page.choose("acting", "off")
    assert page.texts("#ours h3") == page.texts("#plain h3")
    assert page.texts("#read-query del") == [] and page.texts("#exclusions li") == []
    page.choose("acting", "act")
    assert page.texts("#ours h3") == ours


def test_what_is_not_applied_has_a_link_that_applies_it(page):
    Select(page["documents"]).select_by_value("pages")
    page.search(PROPERTY)
    [line] = page.texts("#exclusions li")
    assert "comedies" in line and "not applied" in line and "a property, which pages discuss anyway" in line
    assert page.texts("#ours h3") == page.texts("#plain h3")
    page.follow("Exclude it anyway")
    ours, address = page.texts("#ours h3"), page.browser.current_url
    assert ours != page.texts("#plain h3") and page["plan"].text == "films NOT comedies"
    assert page["verdict"].text == "You exclude “comedies”." and page["reader"].text == "No reader was asked"
    named = {"query": PROPERTY, "exclude": ["comedies"], "index": "films", "documents": "pages"}
    hits = httpx.post(page.url + "/v1/search", json=named, timeout=60).json()["hits"]
    assert [title.split("\u2002")[-1] for title in ours] == [hit["title"] for hit in hits]
    asked = parse_qs(urlsplit(address).query)
    assert asked == {"q": [PROPERTY], "exclude": ["comedies"], "documents": ["pages"], "index": ["films"]}
    page.browser.refresh()
    page.wait(lambda: page.texts("#ours h3") == ours)
    page.browser.get("about:blank")
    assert page.open_address(address).texts("#ours h3") == ours and page["query"].get_attribute("value") == PROPERTY
    assert Select(page["documents"]).first_selected_option.get_attribute("value") == "pages"
    page.follow("Let the reader decide")
    assert page.texts("#ours h3") == page.texts("#plain h3") and "exclude" not in page.browser.current_url


def test_what_is_applied_has_a_link_that_leaves_it_alone(page):
    page.search(VIETNAM)
    ours = page.texts("#ours h3")
    page.follow("Do not exclude it")
    assert page.texts("#ours h3") == page.texts("#plain h3") != ours
    assert parse_qs(urlsplit(page.browser.current_url).query, keep_blank_values=True)["exclude"] == [""]
    assert page["verdict"].text == "Reading is off for this query."
    assert page.browser.find_element(By.CSS_SELECTOR, "#acting input:checked").get_attribute("value") == "off"
    page.browser.back()
    page.wait(lambda: page.texts("#ours h3") == ours)
    assert page["query"].get_attribute("value") == VIETNAM
    page.browser.forward()
    page.wait(lambda: page.texts("#ours h3") == page.texts("#plain h3"))
    page.choose("acting", "act")
    assert page.texts("#ours h3") == ours and page.browser.current_url == page.url + "/"


def test_of_several_exclusions_a_link_changes_one(page):
    page.open_address(f"{page.url}/?q=films+about+war%2C+love+and+space&exclude=war&exclude=love&strictness=safe")
    assert page["verdict"].text == "You exclude “war”, “love”."
    assert Select(page["strictness"]).first_selected_option.get_attribute("value") == "safe"
    page.follow("Do not exclude it")
    assert page["verdict"].text == "You exclude “love”."
    page.search("films about war")  # what is typed is read, and nothing of it is put into the address
    assert page["verdict"].text == "The query excludes nothing." and page.browser.current_url == page.url + "/"


def test_a_negation_that_excludes_nothing_has_a_link_too(page):
    page.search("why is there no river")
    assert page["verdict"].text == "Nothing is excluded: the reader takes “no” for part of what is asked."
    page.follow("Exclude “river”")
    assert page["verdict"].text == "You exclude “river”."
    assert page.browser.switch_to.active_element.get_attribute("id") == "reading"


def test_an_address_may_exclude_words_that_are_not_in_the_query(page):
    page.open_address(f"{page.url}/?q=movies+set+in+Vietnam&exclude=war")
    assert page["verdict"].text == "You exclude “war”." and page.texts("#read-query del") == []
    assert not any("The Long Patrol" in title for title in page.texts("#ours h3"))
    page.follow("Do not exclude it")
    assert page.texts("#ours h3") == page.texts("#plain h3")


@pytest.mark.parametrize("asked", ["?q=", "?exclude=war", "?q=films&strictness=lax&documents=<b>&index=no"])
def test_an_address_that_asks_nothing_or_nonsense_is_harmless(page, asked):
    page.browser.get(f"{page.url}/{asked}")
    page.wait(page["index-choice"].is_displayed)
    if "films" in asked:
        page.wait(lambda: page.texts("#ours h3"))
    else:
        assert page["welcome"].is_displayed() and not page["problem"].is_displayed()


def test_one_list_or_both(page):
    page.search(VIETNAM)

    def seen():
        return [page[name].is_displayed() for name in ("ours", "plain")]

    assert seen() == [True, True]
    page.choose("view", "plain")
    assert seen() == [False, True]
    page.choose("view", "ours")
    assert seen() == [True, False]


def test_the_explanation(page):
    page.search(VIETNAM)
    assert page.texts("#explanation tr") == []
    page.explain()
    rows = page.texts("#explanation tbody tr")
    assert len(rows) == len(VIETNAM.split()) and "pushes away" in rows[-1]
    assert "encoded on their own" in page["explanation"].text and "ttention" not in page["explanation"].text
    page.search("movies set in Vietnam")
    page.explain()
    assert "Nothing was changed" in page["explanation"].text and not any("away" in row for row in page.texts("tr"))


def test_the_explanation_of_a_boolean_model_shows_attention(browser, film_vectors, tmp_path):  # noqa: F811
    films = filled(f"lance://{tmp_path}/films", film_vectors["films"])
    with running(tmp_path, "--index", films, "--model", f"training-free:{NAME}") as found:
        page = Page(browser, found.url).open()
        page.search(VIETNAM)
        page.explain()
        rows = page.texts("#explanation tbody tr")
        assert len(rows) == len(VIETNAM.split()) and " % " in " ".join(rows[-1].split()) and "pushes away" in rows[-1]
        assert "Attention" in page["explanation"].text


def test_strictness_and_index(page):
    page.browser.execute_script(
        "window.sent = []; const real = window.fetch;"
        "window.fetch = (path, more) => { sent.push(JSON.parse(more.body)); return real(path, more); }"
    )
    page.search(VIETNAM)
    Select(page["strictness"]).select_by_value("safe")
    page.settled()
    Select(page["index"]).select_by_value("hostile")
    page.settled()
    assert "10 hits in hostile" in page["status"].text
    asked = {"query": VIETNAM, "act": True, "index": "films", "k": 10, "plain": True}
    safe = asked | {"strictness": "safe"}
    assert page.browser.execute_script("return sent") == [asked, safe, safe | {"index": "hostile"}]


@pytest.mark.parametrize("query", [f"{HOSTILE} Vietnam", f"Vietnam films without {SCRIPT}"])
def test_text_stays_text(page, query):
    Select(page["index"]).select_by_value("hostile")
    page.search(query)
    assert page["read-query"].text == query
    page.explain()
    page.search("Vietnam script")
    assert any(HOSTILE in title for title in page.texts("#ours h3"))
    assert any(SCRIPT in text for text in page.texts("#ours .text"))
    assert page.browser.find_elements(By.CSS_SELECTOR, "main img, main script") == []
    assert page.browser.title == "boolattn"


def test_by_keyboard_alone(page):
    def press(*keys):
        for key in keys:
            page.browser.switch_to.active_element.send_keys(key)

    def focused():
        return page.browser.switch_to.active_element

    assert focused().get_attribute("id") == "query"  # at once
    press(VIETNAM, Keys.ENTER)
    page.settled()
    ours = page.texts("#ours h3")
    press(Keys.TAB)
    assert focused().get_attribute("id") == "go"
    outline = focused().value_of_css_property("outline-style")
    assert outline == "solid"
    press(Keys.TAB)
    assert focused().get_attribute("name") == "acting"
    press(Keys.ARROW_RIGHT)
    page.wait(lambda: page.texts("#ours h3") == page.texts("#plain h3"))
    press(Keys.ARROW_LEFT)
    page.wait(lambda: page.texts("#ours h3") == ours)
    while focused().text != "Explain what this changed":
        assert focused().get_attribute("value") != "both"  # the next part of the page
        press(Keys.TAB)
    press(Keys.ENTER)
    page.wait(lambda: page.texts("#explanation tbody tr"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_and_is_accessible(page, width, scheme):
    page.open(width, scheme)
    page.wait(page["index-choice"].is_displayed)
    source = AXE.read_text(encoding="utf-8")
    for state in ("empty", "applied", "not-applied"):
        if state == "applied":
            page.search(VIETNAM)
            page.explain()
        elif state == "not-applied":
            Select(page["documents"]).select_by_value("pages")
            page.search(PROPERTY)
        page.browser.execute_script(source)
        found = page.browser.execute_async_script("axe.run().then(arguments[0])")
        assert len(found["passes"]) > 15
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]] == []
        inner, needed = page.browser.execute_script("return [innerWidth, document.documentElement.scrollWidth]")
        assert inner == width and needed <= inner
        picture(page, f"{width}-{scheme}-{state}")


def picture(page, name):
    """Save a screenshot of the whole page where PAGE_PICTURES says."""
    folder = os.environ.get("PAGE_PICTURES")
    if folder:
        height = page.browser.execute_script("return document.documentElement.scrollHeight")
        width = page.browser.execute_script("return innerWidth")
        page.resize(width, min(height, 2600))
        page.browser.save_screenshot(f"{folder}/{name}.png")
        page.resize(width)


def test_nothing_from_elsewhere_and_no_inline_script(films):
    policy = httpx.get(films.url + "/", timeout=60).headers["content-security-policy"]
    assert "default-src 'self'" in policy and "unsafe-inline" not in policy
    for name in ("", "page/page.css", "page/page.js"):
        text = httpx.get(f"{films.url}/{name}", timeout=60).text
        assert "https://" not in text and "http://" not in text and "innerHTML" not in text and "style=" not in text
    for name in ("index.html", "page_routes.py", "..%2fpage_routes.py", "%2e%2e/page_routes.py"):
        assert httpx.get(f"{films.url}/page/{name}", timeout=60).status_code == 404


@pytest.fixture
def keyed(film_vectors, tmp_path) -> Iterator[tuple[Running, dict[str, str], Path]]:
    """A service that asks for a key, two keys, of which one allows few requests, and the folder of its index."""
    uri = filled(f"lance://{tmp_path}/folder/films", film_vectors["films"])
    keys = {
        name: add_key(tmp_path / "keys.json", name, per_minute=each) for name, each in {"few": 12, "many": 0}.items()
    }
    with running(tmp_path, "--index", uri, "--keys", str(tmp_path / "keys.json")) as found:
        yield found, keys, tmp_path / "folder"


def test_a_key_and_failures_in_words(browser, keyed):  # noqa: F811
    server, keys, folder = keyed
    page = Page(browser, server.url).open()
    problem = page["problem"]

    def search(key):
        page["key"].clear()
        page["key"].send_keys(key)
        page.search(VIETNAM)
        return problem.text

    page.search(VIETNAM)
    assert "asks for an API key" in problem.text and problem.get_attribute("role") == "alert"
    assert browser.switch_to.active_element.get_attribute("id") == "key"
    assert "unknown" in search("wrong") and "characters" in search("ключ")
    assert search(keys["few"]) == "" and len(page.texts("#ours h3")) == 10
    stored = browser.execute_script("return [location.href, document.cookie, {...localStorage}, {...sessionStorage}]")
    assert stored == [server.url + "/", "", {}, {}]
    for _ in range(10):
        for _ in range(4):  # twice what it allows at once
            httpx.get(server.url + "/info", headers={"Authorization": f"Bearer {keys['few']}"}, timeout=60)
        if page.go()["problem"].is_displayed():
            break
    assert "busy" in problem.text and "Try again in" in problem.text and page.texts("#ours h3") == []
    assert search(keys["many"]) == ""
    page.follow("Do not exclude it")  # no reload, which would lose the key
    assert page.texts("#ours h3") == page.texts("#plain h3") != [] and keys["many"] not in browser.current_url
    shutil.rmtree(folder)
    assert "cannot reach its index" in search(keys["many"])
    server.terminate()
    assert "cannot be reached" in search(keys["many"])
    assert not any(key in server.log.read_text() for key in keys.values())
