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

/** A table that the script makes sortable. */
export function sortableTable<Row>({ id, caption, columns, rows, sorted }: Table<Row>): HtmlElement {
  const classOf = ({ is }: Column<Row>) => ({ words: "words", time: "words time", number: undefined })[is];
  return framed(
    id,
    caption,
    h(
      "table",
      { "data-sortable": true },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...columns.map((column, at) => {
            const direction = sorted?.column === at ? sorted.direction : undefined;
            return h("th", { scope: "col", class: classOf(column), "aria-sort": direction }, column.title);
          }),
        ),
      ),
      h(
        "tbody",
        {},
        ...rows.map((row) =>
          h(
            "tr",
            {},
            ...columns.map((column, at) => {
              const value = column.value(row);
              const attributes = {
                ...{ scope: at === 0 && "row", class: classOf(column) },
                "data-value": typeof value === "string" ? shortened(value) : value,
              };
              return h(at === 0 ? "th" : "td", attributes, column.shown(row));
            }),
          ),
        ),
      ),
    ),
  );
}

/** A table that stays as it is. The first cell of a row says what the row is. */
export function plainTable(
  id: string,
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly HtmlContent[])[],
): HtmlElement {
  const line = ([name, ...cells]: readonly HtmlContent[]) =>
    h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", {}, cell)));
  const head = h("tr", {}, ...titles.map((title) => h("th", { scope: "col" }, title)));
  return framed(id, caption, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows.map(line))));
}

/** The table with its caption above, outside of what scrolls where the window is narrow. */
function framed(id: string, caption: string, table: HtmlElement): HtmlElement {
  const named = { "aria-labelledby": `${id}-caption` };
  return h(
    "div",
    { class: "table" },
    h("p", { id: `${id}-caption` }, caption),
    h(
      "div",
      { class: "scroll", role: "region", tabindex: 0, ...named },
      h("table", { id, ...named, ...table.attributes }, ...table.content),
    ),
  );
}

/** Charts in words, where they are looked for but not in the way. */
export function asTable(summary: string, table: HtmlElement): HtmlElement {
  return h("details", {}, h("summary", {}, summary), table);
}
