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
