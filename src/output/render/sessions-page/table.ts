import { type HtmlContent, type HtmlElement, h, shortened } from "../html.js";

/** A column: words, or numbers that are sorted as such. */
export interface Column<Row> {
  readonly title: string;
  readonly is: "words" | "time" | "number";
  /** What it is sorted by; undefined: not stated, so it comes last. */
  readonly value: (row: Row) => string | number | undefined;
  readonly shown: (row: Row) => HtmlContent;
}

interface Table<Row> {
  /** Of the element; unique in the page. */
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** How the rows are sorted as they stand, by a column's number. */
  readonly sorted?: { readonly column: number; readonly direction: "ascending" | "descending" };
}

const classes = { words: "words", time: "words time", number: undefined };

/** A table that the script makes sortable. */
export function sortableTable<Row>({ id, caption, columns, rows, sorted }: Table<Row>): HtmlElement {
  const head = columns.map(({ is, title }, at) => {
    const direction = sorted?.column === at ? sorted.direction : undefined;
    return h("th", { scope: "col", class: classes[is], "aria-sort": direction }, title);
  });
  const body = rows.map((row) =>
    columns.map(({ is, value, shown }, at) => {
      const sortedBy = value(row);
      const attributes = {
        ...{ scope: at === 0 && "row", class: classes[is] },
        "data-value": typeof sortedBy === "string" ? shortened(sortedBy) : sortedBy,
      };
      return h(at === 0 ? "th" : "td", attributes, shown(row));
    }),
  );
  return frame(id, caption, { "data-sortable": true }, head, body);
}

/** A table that stays as it is. The first cell of a row says what the row is. */
export function plainTable(
  id: string,
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly HtmlContent[])[],
): HtmlElement {
  const head = titles.map((title) => h("th", { scope: "col" }, title));
  const body = rows.map(([name, ...cells]) => [
    h("th", { scope: "row" }, name),
    ...cells.map((cell) => h("td", {}, cell)),
  ]);
  return frame(id, caption, {}, head, body);
}

/** The table with its caption above, outside of what scrolls where the window is narrow. */
function frame(
  id: string,
  caption: string,
  attributes: { readonly "data-sortable"?: true },
  head: readonly HtmlElement[],
  body: readonly (readonly HtmlElement[])[],
): HtmlElement {
  const named = { "aria-labelledby": `${id}-caption` };
  return h(
    "div",
    { class: "table" },
    h("p", { id: `${id}-caption` }, caption),
    h(
      "div",
      { class: "scroll", role: "region", tabindex: 0, ...named },
      h(
        "table",
        { id, ...named, ...attributes },
        h("thead", {}, h("tr", {}, ...head)),
        h("tbody", {}, ...body.map((cells) => h("tr", {}, ...cells))),
      ),
    ),
  );
}

/** Charts in words, where they are looked for but not in the way. */
export function asTable(summary: string, table: HtmlElement): HtmlElement {
  return h("details", {}, h("summary", {}, summary), table);
}

/** A part of the page under its title. */
export function section(id: string, title: string, ...content: readonly HtmlContent[]): HtmlElement {
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...content);
}
