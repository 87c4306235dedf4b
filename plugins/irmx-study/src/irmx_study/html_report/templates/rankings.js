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
        line("sum, the score", span, irmxNumber(value))));
  }

  function ranking(topic, ranks, elsewhere, parts, value, measure) {
    const first = topic.docs
      .map(([doc, grade], place) => ({ doc, grade, place, rank: ranks[place] }))
      .filter(({ rank }) => rank > 0 && rank <= data.top)
      .sort((one, other) => one.rank - other.rank);
    const rows = first.map(({ doc, grade, place, rank }) => {
      const [kind, sign, words] = judged(grade, data.relevant[measure]);
      const name = irmxElement("th", { scope: "row" }, doc);
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
        line("sum, the score", 3, irmxNumber(value), true))] : []),
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
