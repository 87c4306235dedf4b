"use strict";
document.documentElement.classList.add("js");

/* Say what happened beside a button, to screen readers too. */
function say(button, text) {
  const status = button.parentElement.querySelector("[role=status]");
  if (status) status.textContent = text;
}

/* Select a text, for those whose browser does not let a page copy. */
function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      say(button, "Copied.");
    } catch {
      select(source);
      say(button, document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl+C.");
    }
  });
}

for (const button of document.querySelectorAll("[data-save]")) {
  button.addEventListener("click", () => {
    const text = document.getElementById(button.dataset.save).textContent;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
    link.download = button.dataset.file;
    link.click();
    URL.revokeObjectURL(link.href);
    say(button, "Saved.");
  });
}

/* The columns of a table are sorted by the buttons in their heads; rows with equal values keep their order. */
function sortable(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.querySelectorAll("[data-sort]")];
  const value = (row, column, kind) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent;
    return kind === "number" ? (text === "" ? -Infinity : Number(text)) : text;
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    if (head.dataset.of) button.setAttribute("aria-label", `${head.dataset.of}: ${head.textContent}`);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const kind = head.dataset.sort;
      const before = head.getAttribute("aria-sort");
      const descending = before ? before === "ascending" : kind === "number";
      const sign = descending ? -1 : 1;
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [value(a, column, kind), value(b, column, kind)];
        return sign * (kind === "number" ? (x > y) - (x < y) : x.localeCompare(y, undefined, { numeric: true }));
      });
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      body.append(...rows);
    });
  });
}
for (const table of document.querySelectorAll("table.sortable")) sortable(table);

/* Of many systems, those are shown whose name contains what was typed. */
const irmxFilter = document.getElementById("leaderboard-filter");
if (irmxFilter) {
  irmxFilter.closest(".filter").hidden = false;
  irmxFilter.addEventListener("input", () => {
    const wanted = irmxFilter.value.toLowerCase();
    for (const row of document.querySelectorAll("#leaderboard-table tbody tr")) {
      row.hidden = !row.cells[1].title.toLowerCase().includes(wanted);
    }
  });
}

/* On paper there is nothing to open: pictures and lists of files that are folded are printed, data is not. */
window.addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details.folded:not([open])")) {
    one.open = true;
    one.dataset.opened = "";
  }
});
window.addEventListener("afterprint", () => {
  for (const one of document.querySelectorAll("details[data-opened]")) {
    one.open = false;
    delete one.dataset.opened;
  }
});
// What is chosen: two systems, a measure and a topic. It lives in the fragment of the address, so that a link shares it and
// the back button works; names that the report does not know are ignored.
const irmxChosen = (() => {
  const embedded = document.getElementById("data-topics");
  if (!embedded) return null;
  const data = JSON.parse(embedded.textContent);
  const listeners = [];
  const known = { topic: data.topics, a: data.systems, b: data.systems, measure: data.measures };
  const first = { topic: -1, a: 0, b: 1, measure: 0 };

  function read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const chosen = { ...first };
    for (const [name, values] of Object.entries(known)) {
      const place = asked.has(name) ? values.indexOf(asked.get(name)) : -1;
      if (place >= 0) chosen[name] = place;
    }
    return chosen;
  }

  let now = read();

  function fragment(change) {
    const chosen = { ...now, ...change };
    const named = Object.entries(chosen).filter(([, place]) => place >= 0);
    return "#" + new URLSearchParams(named.map(([name, place]) => [name, known[name][place]]));
  }

  window.addEventListener("hashchange", () => {
    if (location.hash && !location.hash.includes("=")) return; // the link of a section
    const before = now;
    now = read();
    for (const listener of listeners) listener(now, before);
  });

  return {
    data,
    fragment,
    get now() { return now; },
    choose(change) { location.hash = fragment(change); },
    listen(listener) { listeners.push(listener); listener(now, null); },
  };
})();

// Elements are made of texts, never of markup.
function irmxElement(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "style") Object.assign(element.style, value);
    else if (value !== false && value !== null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

function irmxOptions(select, texts, change) {
  select.replaceChildren(...texts.map((text, place) => irmxElement("option", { value: place }, text)));
  select.addEventListener("change", () => change(Number(select.value)));
  select.closest(".choices").hidden = false;
}

const irmxNumber = (value, places = 4) => (value === null ? "–" : value.toFixed(places));
const irmxDifference = (value, places = 4) => (value > 0 ? "+" : "") + irmxNumber(value, places);
const irmxCount = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

(() => {
  if (!irmxChosen) return;
  const { data, now, choose, fragment } = irmxChosen;
  const part = (name) => document.getElementById(`topics-${name}`);
  const linked = document.getElementById("data-rankings") !== null;

  const swapped = (own, other) => (place) => // the other system changes places with one that is chosen twice
    choose({ [own]: place, ...(irmxChosen.now[other] === place ? { [other]: irmxChosen.now[own] } : {}) });
  irmxOptions(part("a"), data.systems, swapped("a", "b"));
  irmxOptions(part("b"), data.systems, swapped("b", "a"));
  irmxOptions(part("measure"), data.measures, (measure) => choose({ measure }));

  function sorted({ a, b, measure }) {
    const [ofA, ofB] = [data.values[measure][a], data.values[measure][b]];
    return data.topics
      .map((name, topic) => ({ topic, name, query: data.queries[topic], a: ofA[topic], b: ofB[topic] }))
      .filter((row) => row.a !== null && row.b !== null)
      .map((row) => ({ ...row, difference: row.a - row.b }))
      .sort((one, other) => other.difference - one.difference);
  }

  function counts(rows, a, b, measure, hidden) {
    const wins = rows.filter((row) => row.difference > data.tie).length;
    const losses = rows.filter((row) => row.difference < -data.tie).length;
    const without = data.topics.length - rows.length;
    part("counts").textContent =
      `${measure} of ${a} minus ${b}: ${a} is better on ${wins}, worse on ${losses}, and equal on ` +
      `${rows.length - wins - losses} topics.` +
      (without ? ` ${without} without a value of every system are left out.` : "") +
      (hidden ? ` Of the topics, ${hidden} with differences in between are not drawn.` : "");
    part("gain").textContent = `${a} is better`;
    part("loss").textContent = `${b} is better`;
  }

  function bar(row, up, span, named, label) {
    const mark = irmxElement("span", {
      class: row.difference >= 0 ? "gain" : "loss",
      style: {
        top: `${(100 * (up - Math.max(row.difference, 0))) / span}%`,
        height: `${(100 * Math.abs(row.difference)) / span}%`,
      },
    });
    const about = { class: "bar", "aria-label": label, tabindex: -1, "data-topic": row.topic };
    const children = named ? [mark, irmxElement("span", { class: "name", "aria-hidden": "true" }, row.name)] : [mark];
    const element = linked
      ? irmxElement("a", { ...about, href: fragment({ topic: row.topic }) }, ...children)
      : irmxElement("span", { ...about, role: "img" }, ...children);
    const show = () => { part("readout").textContent = label; };
    element.addEventListener("mouseenter", show);
    element.addEventListener("focus", show);
    if (linked) element.addEventListener("click", (event) => {
      if (fragment({ topic: row.topic }) !== location.hash) return;
      event.preventDefault(); // the address stays the same: no event
      document.dispatchEvent(new CustomEvent("irmx-open"));
    });
    return element;
  }

  function draw(rows, a, b, measure, hidden) {
    const up = Math.max(0, ...rows.map((row) => row.difference));
    const down = Math.max(0, ...rows.map((row) => -row.difference));
    const span = up + down || 1;
    const zero = `${(100 * up) / span}%`;
    const ticks = [["0%", up], [zero, 0], ["100%", -down]].filter(([, value], i) => i === 1 || value !== 0);
    const bars = rows.map((row) => {
      const label =
        `Topic ${row.name}${row.query ? ` (${row.query})` : ""}: ${a} ${irmxNumber(row.a)}, ${b} ${irmxNumber(row.b)}, ` +
        `difference ${irmxDifference(row.difference)}`;
      return bar(row, up, span, rows.length <= 60, label);
    });
    if (hidden) bars[bars.length / 2].classList.add("after-gap");
    const container = part("bars");
    container.setAttribute("role", "group");
    container.setAttribute("aria-label", `Differences in ${measure}, ${a} minus ${b}; arrow keys move from topic to topic`);
    container.replaceChildren(
      ...ticks.map(([top, value]) => irmxElement("span", { class: "tick", style: { top } }, value ? irmxDifference(value, 2) : "0")),
      irmxElement("span", { class: "zero", style: { top: zero } }),
      ...bars,
    );
    if (bars.length) bars[0].tabIndex = 0;
    part("readout").textContent = "";
  }

  part("bars").addEventListener("keydown", (event) => {
    const bars = [...part("bars").querySelectorAll(".bar")];
    const at = bars.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: bars.length - 1 }[event.key];
    if (at < 0 || to === undefined || !bars[to]) return;
    event.preventDefault();
    bars[at].tabIndex = -1;
    bars[to].tabIndex = 0;
    bars[to].focus();
  });

  function fill(rows, a, b) {
    const table = part("table");
    const queried = data.queries.some((query) => query);
    const [headA, headB] = [...table.tHead.rows[0].cells].slice(queried ? 2 : 1);
    headA.textContent = a;
    headB.textContent = b;
    const cell = (text) => irmxElement("td", { class: "number" }, text);
    table.tBodies[0].replaceChildren(...rows.map((row) => irmxElement("tr", {},
      irmxElement("th", { scope: "row" }, row.name), ...(queried ? [irmxElement("td", {}, row.query)] : []),
      cell(irmxNumber(row.a)), cell(irmxNumber(row.b)), cell(irmxDifference(row.difference)))));
  }

  for (const one of document.querySelectorAll("#topics .drawn")) one.hidden = false;
  irmxChosen.listen((chosen, before) => {
    for (const name of ["a", "b", "measure"]) part(name).value = chosen[name];
    const [a, b, measure] = [data.systems[chosen.a], data.systems[chosen.b], data.measures[chosen.measure]];
    if (!before || ["a", "b", "measure"].some((name) => chosen[name] !== before[name])) {
      const rows = sorted(chosen);
      const half = data.most / 2;
      const drawn = rows.length <= data.most ? rows : [...rows.slice(0, half), ...rows.slice(-half)];
      counts(rows, a, b, measure, rows.length - drawn.length);
      draw(drawn, a, b, measure, rows.length - drawn.length);
      fill(drawn, a, b);
    }
    for (const element of part("bars").querySelectorAll(".bar")) {
      const current = Number(element.dataset.topic) === chosen.topic;
      if (current) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    }
  });
})();
(() => {
  const embedded = document.getElementById("data-rankings");
  if (!embedded || !irmxChosen) return;
  const data = JSON.parse(embedded.textContent);
  const shown = document.getElementById("rankings-shown");
  const select = document.getElementById("rankings-topic");
  const names = irmxChosen.data;
  let selecting = false;

  irmxOptions(select, data.topics.map((topic) => (topic.query ? `${topic.topic}: ${topic.query}` : topic.topic)), (topic) => {
    selecting = true;
    irmxChosen.choose({ topic: data.topics[topic].place });
  });

  function judged(grade, relevant) {
    if (grade === null) return ["unjudged", "?", "unjudged"];
    return grade >= relevant ? ["relevant", "●", `relevant (${grade})`] : ["other", "○", `not relevant (${grade})`];
  }

  const say = (text) => irmxElement("p", { class: "missing" }, text);
  const head = (...texts) => irmxElement("thead", {}, irmxElement("tr", {},
    ...texts.map(([text, kind]) => irmxElement("th", { scope: "col", class: kind || false }, text))));
  const number = (text) => irmxElement("td", { class: "number" }, text);
  const line = (text, span, value, tail) => irmxElement("tr", {},
    irmxElement("th", { scope: "row", colspan: span }, text), number(value), ...(tail ? [irmxElement("td", {})] : []));

  function ownTable(parts, title, value) {
    const cell = (one) => (typeof one === "number"
      ? number(Number.isInteger(one) ? one : irmxNumber(one)) : irmxElement("td", {}, one === null ? "" : one));
    const span = parts.columns.length - 1;
    return irmxElement("table", { class: "own" },
      irmxElement("caption", {}, title),
      head(...parts.columns.map((name) => [name.replaceAll("_", " ")])),
      irmxElement("tbody", {}, ...parts.rows.map((row) => irmxElement("tr", {}, ...row.map(cell)))),
      irmxElement("tfoot", {},
        ...(parts.rest[0] ? [line(irmxCount(parts.rest[0], "further row"), span, irmxNumber(parts.rest[1]))] : []),
        line("total, which is the score", span, irmxNumber(value))));
  }

  function ranking(topic, ranks, elsewhere, parts, value, measure) {
    const first = topic.docs
      .map(([doc, grade], place) => ({ doc, grade, place, rank: ranks[place] }))
      .filter(({ rank }) => rank > 0 && rank <= data.top)
      .sort((one, other) => one.rank - other.rank);
    const rows = first.map(({ doc, grade, place, rank }) => {
      const [kind, sign, words] = judged(grade, data.relevant[measure]);
      const name = irmxElement("th", { scope: "row" }, irmxElement("span", { class: "doc" }, doc));
      if (topic.texts[place]) name.append(irmxElement("details", {}, irmxElement("summary", {}, "text"), topic.texts[place]));
      return irmxElement("tr", { class: kind }, number(rank), name,
        irmxElement("td", { class: "judged" }, irmxElement("span", { class: "sign", "aria-hidden": "true" }, sign), ` ${words}`),
        ...(parts ? [number(irmxNumber(parts.of[rank - 1]))] : []), number((elsewhere && elsewhere[place]) || "–"));
    });
    return [
      head(["rank", "number"], ["document"], ["judged"], ...(parts ? [["adds", "number"]] : []), ["other rank", "number"]),
      irmxElement("tbody", {}, ...rows),
      ...(parts ? [irmxElement("tfoot", {},
        line(`below rank ${data.top}: ${irmxCount(parts.rest[0], "document")}`, 3, irmxNumber(parts.rest[1]), true),
        line("total, which is the score", 3, irmxNumber(value), true))] : []),
    ];
  }

  function side(topic, name, other, measure) {
    const system = data.systems.indexOf(name);
    if (system < 0) return say(`The rankings of ${name} are not in this file; it has those of ${data.systems.join(", ")}.`);
    const [ranks, parts, value] = [topic.ranks[system], topic.parts[measure][system], topic.values[measure][system]];
    const elsewhere = topic.ranks[data.systems.indexOf(other)];
    const own = parts && parts.columns ? parts : null;
    const body = ranks ? ranking(topic, ranks, elsewhere, own ? null : parts, value, measure)
      : own ? [] : [irmxElement("tbody", {}, irmxElement("tr", {}, irmxElement("td", {}, "Nothing is retrieved for this topic.")))];
    const score = value === null ? "" : `: ${data.measures[measure]} ${irmxNumber(value)}`;
    return irmxElement("div", {}, irmxElement("table", {}, irmxElement("caption", {}, name + score), ...body),
      ...(own ? [ownTable(own, `What ${data.measures[measure]} of ${name} is made of`, value)] : []));
  }

  function show(topic, a, b, measure) {
    const explained = topic.parts[measure].some((part) => part !== null);
    shown.replaceChildren(
      irmxElement("h3", {}, `Topic ${topic.topic}${topic.query ? `: ${topic.query}` : ""}`),
      ...(explained ? [] : [say(`${data.measures[measure]} does not say what each document adds to its score.`)]),
      irmxElement("div", { class: "sides" }, side(topic, a, b, measure), side(topic, b, a, measure)));
  }

  function open() {
    const title = document.getElementById("title-rankings");
    title.tabIndex = -1;
    title.scrollIntoView();
    title.focus({ preventScroll: true });
  }

  document.addEventListener("irmx-open", open);

  function widest({ a, b, measure }) { // until a topic is chosen, the one with the largest difference
    const [ofA, ofB] = [names.values[measure][a], names.values[measure][b]];
    const known = (place) => ofA[place] !== null && ofB[place] !== null;
    const size = ({ place }) => (known(place) ? Math.abs(ofA[place] - ofB[place]) : -1);
    return data.topics.reduce((best, topic) => (size(topic) > size(best) ? topic : best));
  }

  irmxChosen.listen((chosen, before) => {
    const topic = chosen.topic < 0 ? widest(chosen) : data.topics.find(({ place }) => place === chosen.topic);
    const [a, b] = [names.systems[chosen.a], names.systems[chosen.b]];
    select.value = data.topics.indexOf(topic); // -1: none
    if (topic) show(topic, a, b, chosen.measure);
    else shown.replaceChildren(say(`The rankings for topic ${names.topics[chosen.topic]} are not in this file.`));
    if (chosen.topic >= 0 && (!before || before.topic !== chosen.topic) && !selecting) open();
    selecting = false;
  });
})();
