"use strict";
// Text from queries, documents and the server reaches the page only through `element`, as text and never as HTML.

const HITS = 10;
const LONG = 400; // characters of a document that are shown at once
const STATUSES = {
  401: "The service asks for an API key. Type yours into the field “API key”, and search again.",
  403: "This API key does not allow searching.",
  404: "The service does not have that.",
  413: "The query is too long.",
  422: "The service cannot use this query.",
  429: "The service is busy.",
  503: "The service cannot reach its index right now.",
  504: "The search took too long.",
  507: "The server’s disk is full.",
};
const SOURCES = {
  rules: "by its rules",
  learned: "by the learned reader",
  mechanism: "by the trained model",
  syntax: "from the query’s own syntax",
};
const $ = (id) => document.getElementById(id);
let latest = null; // the request under way; a newer one replaces it
let described = null; // what is served, or the request for it
let shown = null; // the body of the search whose answer is on the page
let named = null; // the words that the address excludes; null if it leaves that to the reader

/** Make an element; children are elements or text. */
function element(tag, classes, ...children) {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  made.append(...children.map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
  return made;
}

/** An error in words that a person can act on. */
class Trouble extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function call(path, body, signal) {
  const headers = body ? { "Content-Type": "application/json" } : {};
  const key = $("key").value.trim();
  if (key) headers.Authorization = `Bearer ${key}`;
  let answer;
  try {
    answer = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (error instanceof TypeError && /header|ISO-8859-1/i.test(error.message)) {
      throw new Trouble("The API key contains characters that no key has. Copy it again.");
    }
    throw new Trouble("The service cannot be reached. Check that it runs and that you are connected, then try again.");
  }
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) return said;
  const wait = Number(answer.headers.get("Retry-After"));
  const parts = [STATUSES[answer.status] || "The service failed.", sentence(said.detail || said.error || "")];
  if (wait) parts.push(`Try again in ${wait} second${wait === 1 ? "" : "s"}.`);
  throw new Trouble(parts.filter(Boolean).join(" "), answer.status);
}

function sentence(text) {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return !capital || /[.!?]$/.test(capital) ? capital : capital + ".";
}

/** Spans count code points, as Python does; JavaScript’s own indices count UTF-16 units. */
function slice(codePoints, [from, to]) {
  return codePoints.slice(from, to).join("");
}

/** A share as per cent, never rounded up to 100. */
function percent(share) {
  return share === 1 ? "100 %" : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

function signed(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? "0" : (value < 0 ? "−" : "+") + text;
}

function chosen(name) {
  return document.querySelector(`input[name="${name}"]:checked`).value;
}

function request() {
  const body = { query: $("query").value };
  if (chosen("acting") === "report") body.act = false;
  if (chosen("acting") === "off") body.exclude = [];
  if (chosen("acting") === "act") body.act = true;
  if (named) body.exclude = named;
  for (const id of ["strictness", "documents"]) if ($(id).value) body[id] = $(id).value;
  return body;
}

// ---- addresses that can be shared

/** The address of the query with these exclusions; null leaves them to the reader. */
function address(exclude) {
  const found = new URLSearchParams({ q: shown.query });
  for (const each of exclude?.length === 0 ? [""] : exclude || []) found.append("exclude", each);
  for (const id of ["strictness", "documents", "index"]) if ($(id).value) found.set(id, $(id).value);
  return `?${found}`;
}

/** Search for what the address says or, after going back, for what was shown before the first link was followed. */
async function searchAddress() {
  const asked = new URLSearchParams(location.search || history.state || "");
  if (!asked.get("q")?.trim()) return;
  named = asked.has("exclude") ? asked.getAll("exclude").filter(Boolean) : null;
  $("query").value = asked.get("q");
  document.querySelector(`input[name="acting"][value="${named && !named.length ? "off" : "act"}"]`).checked = true;
  await describe();
  for (const id of ["strictness", "documents", "index"]) {
    const options = [...$(id).options].map((each) => each.value);
    $(id).value = options.includes(asked.get(id)) ? asked.get(id) : options[0] || "";
  }
  await search();
}

/** A link to the query with other exclusions. Followed here, it keeps the API key, which a reload would lose. */
function link(text, exclude) {
  const made = element("a", "again", text);
  made.href = address(exclude);
  made.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!location.search) history.replaceState(address(named), "");
    history.pushState(null, "", made.href);
    await searchAddress();
    $("reading").focus();
  });
  return made;
}

/** Search for what is typed; an address that says something else is dropped. */
function searchTyped() {
  named = null;
  history.replaceState(null, "", location.pathname);
  return search();
}

/** Search with other choices, which an address that is shared keeps. */
function searchChanged() {
  if (location.search) history.replaceState(null, "", address(named));
  return search();
}

async function search() {
  if (!$("query").value.trim()) {
    $("status").textContent = "Type a query first.";
    $("query").focus();
    return;
  }
  latest?.abort();
  const current = (latest = new AbortController());
  const body = request();
  document.body.classList.add("busy");
  $("status").textContent = "Searching …";
  try {
    await describe();
    const index = $("index").value ? { index: $("index").value } : {};
    const answer = await call("/v1/search", { ...body, ...index, k: HITS, plain: true }, current.signal);
    shown = body;
    show(answer);
  } catch (error) {
    if (error.name !== "AbortError") fail(error);
  } finally {
    if (latest === current) document.body.classList.remove("busy");
  }
}

function fail(error) {
  for (const id of ["reading", "view", "columns"]) $(id).hidden = true;
  shown = null;
  $("status").textContent = "";
  $("problem").textContent = error instanceof Trouble ? error.message : `The page failed: ${error.message}`;
  $("problem").hidden = false;
  if (error.status !== 401) return;
  $("key-part").open = true;
  $("key").focus();
}

function show(answer) {
  $("problem").hidden = $("welcome").hidden = true;
  for (const id of ["reading", "view", "columns"]) $(id).hidden = false;
  showReading(answer);
  const places = (hits) => new Map(hits.map((hit, place) => [hit.doc_id, place + 1]));
  const [ours, plain] = [places(answer.hits), places(answer.plain)];
  $("ours").replaceChildren(...answer.hits.map((hit) => hitElement(hit, moved(plain, ours, hit))));
  $("plain").replaceChildren(...answer.plain.map((hit) => hitElement(hit, answer.acts && left(ours, hit))));
  $("ours-note").textContent = answer.acts ? "Exclusions are applied" : "Nothing is excluded: the same as plain";
  const count = `${answer.hits.length} hit${answer.hits.length === 1 ? "" : "s"} in ${answer.index}`;
  $("status").textContent = `${count}. ${$("verdict").textContent}`;
}

// ---- what was read

function showReading({ reading, plan }) {
  $("read-query").replaceChildren(...highlighted(reading));
  $("verdict").textContent = verdict(reading);
  $("exclusions").replaceChildren(...reading.exclusions.map((each) => exclusionElement(each, reading)));
  const others = [];
  if (reading.kept_negation?.text) others.push(link(`Exclude ${quoted([reading.kept_negation])}`, [reading.kept_negation.text]));
  if (named) others.push(link("Let the reader decide", null));
  $("others").replaceChildren(...others);
  $("plan").textContent = plan.plan;
  $("reader").textContent = readBy(reading);
  $("explain").open = false;
  $("explanation").replaceChildren();
}

/** Who read the query. How sure the reader is stands at each exclusion: the number that decided. */
function readBy({ reader, source }) {
  return source === "caller" ? "No reader was asked" : `Reader ${reader} (${SOURCES[source] || source})`;
}

function quoted(parts) {
  return parts.map((each) => `“${each.text}”`).join(", ");
}

function verdict({ exclusions, kept_negation: kept, unread_reason: unread }) {
  if (unread) return `The query was not read: ${unread}.`;
  if (chosen("acting") === "off") return "Reading is off for this query.";
  if (kept) return `Nothing is excluded: the reader takes “${kept.cue}” for part of what is asked.`;
  if (!exclusions.length) return "The query excludes nothing.";
  const [applied, left] = [true, false].map((is) => quoted(exclusions.filter((each) => each.applied === is)));
  if (!applied) return `The query excludes ${left}, but this is not applied.`;
  return `${named ? "You exclude" : "The query excludes"} ${applied}.${left && ` Not applied: ${left}.`}`;
}

/** The query, cut wherever a cue or an exclusion starts or ends. */
function highlighted(reading) {
  const points = Array.from(reading.query);
  const marks = [
    ...reading.exclusions.filter((each) => each.span).map((each) => ({ span: each.span, role: each.applied ? "excluded" : "seen" })),
    ...Object.entries(reading.cues).flatMap(([operator, spans]) => spans.map((span) => ({ span, role: "cue", operator }))),
  ];
  const cuts = [...new Set([0, points.length, ...marks.flatMap(({ span }) => span)])].sort((a, b) => a - b);
  return cuts.slice(1).map((to, place) => {
    const text = slice(points, [cuts[place], to]);
    const mark = marks.find(({ span }) => span[0] <= cuts[place] && to <= span[1]);
    if (!mark) return document.createTextNode(text);
    const made = element({ excluded: "del", seen: "span", cue: "u" }[mark.role], mark.role, text);
    made.title = { excluded: "excluded", seen: "not applied", cue: `says “${mark.operator}”` }[mark.role];
    return made;
  });
}

function exclusionElement(exclusion, reading) {
  const { applied, confidence, kind, text, why_not: why } = exclusion;
  const share = element("span", "meter", element("span", ""));
  share.firstChild.style.width = percent(confidence).replace(" ", "");
  share.setAttribute("aria-hidden", "true");
  const name = element(applied ? "del" : "strong", "", text);
  name.dir = "auto";
  const state = element("span", applied ? "applied" : "not-applied", applied ? "applied" : "not applied");
  const made = element("li", "", name, element("span", "kind", kind), share, element("span", "number", percent(confidence)), state);
  // What is excluded now, with or without this one.
  const excluded = reading.exclusions.filter((each) => each.applied !== (each === exclusion)).map((each) => each.text);
  if (applied) made.append(link("Do not exclude it", excluded));
  else if (/[\p{L}\p{N}]/u.test(text)) made.append(link("Exclude it anyway", excluded));
  if (why) made.append(element("p", "note", sentence(why)));
  return made;
}

// ---- hits

function moved(plain, ours, hit) {
  const [before, now] = [plain.get(hit.doc_id), ours.get(hit.doc_id)];
  if (before === now) return null;
  if (before === undefined) return ["up", `new: not in the plain ${plain.size}`];
  return now < before ? ["up", `▲ from ${before}`] : ["down", `▼ from ${before}`];
}

function left(ours, hit) {
  return ours.has(hit.doc_id) ? null : ["down", `not in the Boolean ${ours.size}`];
}

function hitElement(hit, move) {
  const heading = element("h3", "", hit.title || hit.doc_id);
  heading.dir = "auto";
  const facts = Object.entries(hit.metadata).filter(([, value]) => value !== "" && value !== null);
  const foot = element("p", "facts", element("span", "number", `score ${hit.score.toFixed(3)}`));
  if (hit.title) foot.append(element("span", "", hit.doc_id));
  foot.append(...facts.map(([name, value]) => element("span", "", `${name}: ${value}`)));
  const head = element("div", "head", heading);
  if (move) head.append(element("span", `move ${move[0]}`, move[1]));
  const made = element("li", "card hit", head, ...textElements(hit.text), foot);
  if (hit.atoms.length) made.append(atomsElement(hit.atoms));
  return made;
}

function textElements(text) {
  const points = Array.from(text);
  const long = points.length > LONG;
  const made = [element("p", "text", long ? `${slice(points, [0, LONG])} …` : text)];
  if (long) made.push(element("details", "", element("summary", "", "Whole text"), element("p", "text", text)));
  for (const part of made) (part.querySelector("p") || part).dir = "auto";
  return made;
}

/** Which parts of the query raised or lowered a hit. */
function atomsElement(atoms) {
  const list = element("ul", "atoms");
  list.setAttribute("aria-label", "What raised or lowered this hit");
  for (const { text, sign, effect } of atoms) {
    const change = signed(effect, 3);
    const direction = change === "0" ? "same" : effect > 0 ? "raised" : "lowered";
    const label = element(sign < 0 ? "del" : "span", "", text);
    label.dir = "auto";
    const words = { same: "no effect", raised: `raised ${change}`, lowered: `lowered ${change}` }[direction];
    list.append(element("li", direction, element("span", "sign", sign < 0 ? "not" : "wants"), label, element("span", "number", words)));
  }
  return list;
}

// ---- the explanation

async function explain() {
  if (!$("explain").open || !shown || $("explanation").hasChildNodes()) return;
  const asked = shown;
  $("explanation").textContent = "Explaining …";
  try {
    const { explanation } = await call("/v1/explain", asked);
    if (asked === shown) $("explanation").replaceChildren(...explanationElements(explanation));
  } catch (error) {
    if (asked === shown) $("explanation").replaceChildren(element("p", "problem", error.message));
  }
}

const mean = (layers, token) => layers.reduce((sum, layer) => sum + layer[token], 0) / layers.length;

function explanationElements(explained) {
  const points = Array.from(explained.query);
  const [before, after] = [explained.attention_before, explained.attention_after];
  const rows = explained.tokens.flatMap((token, place) => {
    const [from, to] = explained.spans[place];
    if (from === to) return []; // the encoder’s own tokens, such as [CLS]
    const shares = before.length ? [mean(before, place), mean(after, place)] : null;
    return [{ text: slice(points, [from, to]), shares, weight: explained.readout[place] }];
  });
  const changed = rows.some(({ weight }) => weight <= 0);
  const largest = Math.max(...rows.flatMap(({ shares }) => shares || []), 1e-9);
  const meaning = before.length
    ? "Each token of the query: the attention it receives without and with boolattn, and its weight in the query’s vector. A negative weight pushes documents about it away."
    : "The words that push away are encoded on their own, and subtracted from the vector of the wanted ones.";
  const summary = changed ? meaning : "Nothing was changed: the query has the plain model’s vector.";
  const heads = before.length ? ["Token", "Attention, plain → ours", "Weight"] : ["Word", "Role"];
  const head = element("tr", "", ...heads.map((text) => element("th", "", text)));
  head.childNodes.forEach((cell) => (cell.scope = "col"));
  const table = element("table", "", element("thead", "", head), element("tbody", "", ...rows.map((row) => rowElement(row, largest))));
  const frame = element("div", "scroll", table);
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", "Tokens of the query");
  return [element("p", "note", summary), frame];
}

function rowElement({ text, shares, weight }, largest) {
  const name = element("th", "", element(weight < 0 ? "del" : "bdi", weight < 0 ? "excluded" : "", text));
  name.scope = "row";
  const cells = [name];
  if (shares) {
    const bars = shares.map((share, place) => {
      const bar = element("span", place ? "bar after" : "bar before");
      bar.style.width = `${(100 * share) / largest}%`;
      return bar;
    });
    const graph = element("span", "bars", ...bars);
    graph.setAttribute("aria-hidden", "true");
    const numbers = shares.map((share) => (100 * share).toFixed(1)).join(" → ");
    cells.push(element("td", "", graph, element("span", "number", `${numbers} %`)));
  }
  const role = weight < 0 ? "pushes away" : weight === 0 ? "not used" : shares ? "" : "wanted";
  cells.push(element("td", "number", shares ? signed(weight, 2) : "", role && element("span", "note", ` ${role}`)));
  return element("tr", weight < 0 ? "lowered" : "", ...cells);
}

// ---- the service

/** Show what is served, once; a request that failed is tried again. */
function describe() {
  described ??= fetchDescription();
  return described;
}

async function fetchDescription() {
  try {
    const { model_id, version, indexes } = await call("/info");
    $("served").textContent = `boolattn ${version}, model ${model_id}`;
    $("index").replaceChildren(...indexes.map((name) => new Option(name, name)));
    $("index-choice").hidden = indexes.length < 2;
    if (!indexes.length) fail(new Trouble("This service has no index to search. Start it with --index."));
  } catch (error) {
    described = null;
    if (error.status !== 401) fail(error); // a key is asked for when it is needed: at the first search
  }
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  searchTyped();
});
$("acting").addEventListener("change", () => shown && searchTyped());
for (const id of ["strictness", "documents", "index"]) $(id).addEventListener("change", () => shown && searchChanged());
$("view").addEventListener("change", () => ($("columns").dataset.view = chosen("view")));
$("explain").addEventListener("toggle", explain);
addEventListener("popstate", searchAddress);
describe().then(searchAddress);
