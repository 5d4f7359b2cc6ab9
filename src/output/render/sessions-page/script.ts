/**
 * The script of the page: tables that are sorted, and the bar that is pointed at in words. Without it all of that is missing and nothing else. Buttons are made here, so that there is none that does nothing.
 */
export const script = `
"use strict";
(() => {
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
      // Missing values come last, in both directions.
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
      });
    });
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
})();
`;
