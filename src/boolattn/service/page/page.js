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
  caller: "nothing was predicted",
  syntax: "from the query’s own syntax",
};
const $ = (id) => document.getElementById(id);
let latest = null; // the request under way; a newer one replaces it
let described = null; // what is served, or the request for it
let shown = null; // the body of the search whose answer is on the page

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
  if ($("strictness").value) body.strictness = $("strictness").value;
  return body;
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

function showReading({ reading, plan, acts }) {
  const applied = negatives(plan.condition);
  const isApplied = ({ span }) => applied.some(([from, to]) => span[0] < to && from < span[1]);
  $("read-query").replaceChildren(...highlighted(reading));
  $("verdict").textContent = verdict(reading, acts);
  $("exclusions").replaceChildren(...reading.exclusions.map((each) => exclusionElement(each, isApplied(each))));
  $("plan").textContent = plan.plan;
  $("reader").textContent = `Reader ${reading.reader} (${SOURCES[reading.source] || reading.source}), confidence ${percent(reading.confidence)}`;
  $("explain").open = false;
  $("explanation").replaceChildren();
}

function verdict(reading, acts) {
  if (reading.unread_reason) return `The query was not read: ${reading.unread_reason}.`;
  const texts = reading.exclusions.map((each) => `“${each.text}”`).join(", ");
  if (chosen("acting") === "off") return "Reading is off for this query.";
  if (!texts) return "The query excludes nothing.";
  return acts ? `The query excludes ${texts}.` : `The query excludes ${texts}, but this is not applied.`;
}

/** The spans of all excluded atoms of a plan. */
function negatives(condition) {
  if (condition.span) return condition.sign < 0 ? [condition.span] : [];
  return Object.values(condition).flat().filter((each) => each && typeof each === "object").flatMap(negatives);
}

/** The query, cut wherever a cue or an exclusion starts or ends. */
function highlighted(reading) {
  const points = Array.from(reading.query);
  const marks = [
    ...reading.exclusions.map((each) => ({ span: each.span, role: "excluded" })),
    ...Object.entries(reading.cues).flatMap(([operator, spans]) => spans.map((span) => ({ span, role: "cue", operator }))),
  ];
  const cuts = [...new Set([0, points.length, ...marks.flatMap(({ span }) => span)])].sort((a, b) => a - b);
  return cuts.slice(1).map((to, place) => {
    const text = slice(points, [cuts[place], to]);
    const mark = marks.find(({ span }) => span[0] <= cuts[place] && to <= span[1]);
    if (!mark) return document.createTextNode(text);
    const made = element(mark.role === "excluded" ? "del" : "u", mark.role, text);
    made.title = mark.role === "excluded" ? "excluded" : `says “${mark.operator}”`;
    return made;
  });
}

function exclusionElement(exclusion, applied) {
  const share = element("span", "meter", element("span", ""));
  share.firstChild.style.width = percent(exclusion.confidence).replace(" ", "");
  share.setAttribute("aria-hidden", "true");
  const text = element("del", "excluded", exclusion.text);
  text.dir = "auto";
  return element(
    "li", "",
    text, element("span", "kind", exclusion.kind), share,
    element("span", "number", percent(exclusion.confidence)),
    element("span", applied ? "applied" : "not-applied", applied ? "applied" : "not applied"),
    ...(exclusion.why_not ? [element("span", "why-not", exclusion.why_not)] : []),
  );
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
  search();
});
for (const id of ["acting", "strictness", "index"]) $(id).addEventListener("change", () => shown && search());
$("view").addEventListener("change", () => ($("columns").dataset.view = chosen("view")));
$("explain").addEventListener("toggle", explain);
describe();
