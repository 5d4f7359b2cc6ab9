/**
 * The script of the page: tables that are sorted, the bar that is pointed at in words, and the refresh of a status page, which can be
 * paused. Without it all of that is missing and nothing else. Buttons are made here, so that there is none that does nothing.
 */
export const script = `
"use strict";
(() => {
  const memory = {
    read: (key) => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } },
    keep: (key, value) => { try { sessionStorage.setItem(key, JSON.stringify(value)); } catch {} },
  };
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const heads = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    const valueOf = (row, column) => {
      const { value } = row.cells[column].dataset;
      return value === undefined ? undefined : heads[column].classList.contains("words") ? value : Number(value);
    };
    const sort = (column, direction) => {
      const sign = direction === "ascending" ? 1 : -1;
      const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
      // What is not stated comes last, in both directions.
      rows.sort(([a], [b]) => {
        if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
        return sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
      });
      body.append(...rows.map(([, row]) => row));
      for (const head of heads) head.removeAttribute("aria-sort");
      heads[column].setAttribute("aria-sort", direction);
    };
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const first = head.classList.contains("words") ? "ascending" : "descending";
        const other = first === "ascending" ? "descending" : "ascending";
        const direction = head.getAttribute("aria-sort") === first ? other : first;
        sort(column, direction);
        memory.keep("sort " + table.id, [column, direction]);
      });
    });
    const kept = document.body.dataset.refresh && memory.read("sort " + table.id);
    if (kept && heads[kept[0]]) sort(...kept);
  }
  for (const chart of document.querySelectorAll("figure.chart")) {
    const readout = chart.querySelector("[data-readout]");
    const plot = chart.querySelector("svg[role=img]");
    const own = readout.textContent;
    plot.addEventListener("pointerover", ({ target }) => {
      const bar = target.closest("g.bar");
      if (bar) readout.textContent = bar.querySelector("title").textContent;
    });
    plot.addEventListener("pointerleave", () => { readout.textContent = own; });
  }
  const seconds = Number(document.body.dataset.refresh);
  if (seconds > 0) {
    const place = document.querySelector("[data-live]");
    const button = document.createElement("button");
    button.type = "button";
    let timer;
    const set = (isPaused) => {
      memory.keep("paused", isPaused);
      button.textContent = isPaused ? "Refresh automatically" : "Pause refresh";
      clearTimeout(timer);
      if (!isPaused) timer = setTimeout(() => location.reload(), seconds * 1000);
    };
    button.addEventListener("click", () => set(timer !== undefined && button.textContent === "Pause refresh"));
    set(memory.read("paused") === true);
    place.append(button);
  }
})();
`;
