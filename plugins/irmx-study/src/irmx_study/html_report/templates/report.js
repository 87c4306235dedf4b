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
