"""The page in a real browser, at phone and desktop width, in light and dark mode."""

import shutil

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from boolattn.explanation.html import fragment, page
from boolattn.explanation.words import MINUS
from tests.explanation.handmade import handmade
from tests.explanation.queries import ENDLESS, HOSTILE, LONG, PLAIN, TWO_NEGATIONS, VIETNAM

QUERIES = {
    "vietnam": VIETNAM,
    "long": LONG,
    "plain": PLAIN,
    "two": TWO_NEGATIONS,
    "hostile": HOSTILE,
    "endless": ENDLESS,
}
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    binary = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.fail("the page is tested in Chromium: install it and its driver (apt install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()


@pytest.fixture
def show(browser, tmp_path):
    def show(source, width, scheme="light"):
        # A window has a least width of about 500 pixels; a device has none.
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        (tmp_path / "page.html").write_text(source, encoding="utf-8")
        browser.get((tmp_path / "page.html").as_uri())
        browser.execute_script("document.querySelectorAll('details').forEach(part => part.open = true)")
        return browser

    return show


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", QUERIES)
def test_the_page_fits_and_has_the_right_text(show, explain, name, width):
    browser = show(page(explain(QUERIES[name])), width)
    inner, needed = browser.execute_script("return [innerWidth, document.documentElement.scrollWidth]")
    assert inner == width and needed <= inner
    heading = browser.find_element(By.TAG_NAME, "h1")
    shown = browser.execute_script("return arguments[0].textContent", heading)
    assert all(word in shown for word in QUERIES[name].split())
    assert browser.title == f"Explained: {QUERIES[name]}"
    assert "nothing here was learned" in browser.find_element(By.CLASS_NAME, "source").text
    verdict = browser.find_element(By.CLASS_NAME, "verdict").text
    assert ("Nothing was changed" if name == "plain" else "Excludes") in verdict
    assert browser.get_log("browser") == []


def test_wide_tables_scroll_in_place(show, explain):
    browser = show(page(explain(VIETNAM)), 400)
    places = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].map(place => [place.clientWidth, place.scrollWidth])"
    )
    assert any(needed > wide for wide, needed in places)


def test_light_and_dark_mode_do_not_rely_on_colour(show, explain):
    looks = []
    for scheme in ("light", "dark"):
        browser = show(page(explain(VIETNAM)), 1400, scheme)
        looks.append(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
        for selector, line in ((".query del", "line-through"), (".query u", "underline")):
            decoration = browser.find_element(By.CSS_SELECTOR, selector).value_of_css_property("text-decoration-line")
            assert decoration == line
        assert browser.find_element(By.CSS_SELECTOR, ".query .mark").text == MINUS
    assert looks == ["rgb(255, 255, 255)", "rgb(21, 24, 28)"]


def test_right_to_left(show):
    browser = show(page(handmade("أفلام عن البحر not الحرب", {"not": ["not"]}, {"not": ["الحرب"]})), 1400)
    assert browser.find_element(By.TAG_NAME, "h1").value_of_css_property("direction") == "rtl"
    first, last = (browser.find_element(By.CSS_SELECTOR, f".query {tag}").location["x"] for tag in ("span", "del"))
    assert first > last


def test_in_a_notebook_of_another_colour(show, explain):
    # Notebooks add their own stripes to tables.
    theirs = "<style>.notebook tbody tr:nth-child(odd) { background: lime }</style>"
    browser = show(f"<!doctype html>{theirs}<div class='notebook'>{fragment(explain(VIETNAM))}</div>", 1400)
    rows = browser.find_elements(By.CSS_SELECTOR, ".words tbody tr")
    colours = [row.value_of_css_property("background-color") for row in rows]
    assert "rgba(0, 255, 0, 1)" not in colours and colours[-1] == "rgba(251, 227, 224, 1)"
    assert browser.get_log("browser") == []
