import { attributes, type Html, type HtmlPart, html, shortened } from "../html.js";

/** A column: words, or numbers that are sorted as such. */
export interface Column<Row> {
  readonly title: string;
  readonly is: "words" | "time" | "number";
  /** What it is sorted by; undefined: not stated, so it comes last. */
  readonly value: (row: Row) => string | number | undefined;
  readonly shown: (row: Row) => HtmlPart;
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
export function sortableTable<Row>({ id, caption, columns, rows, sorted }: Table<Row>): Html {
  const head = columns.map(({ is, title }, at) => {
    const direction = sorted?.column === at ? sorted.direction : undefined;
    return html`<th scope="col"${attributes({ class: classes[is], "aria-sort": direction })}>${title}</th>`;
  });
  const body = rows.map((row) =>
    columns.map(({ is, value, shown }, at) => {
      const sortedBy = value(row);
      const facts = attributes({
        class: classes[is],
        "data-value": typeof sortedBy === "string" ? shortened(sortedBy) : sortedBy,
      });
      return at === 0
        ? html`<th scope="row"${facts}>${shown(row)}</th>`
        : html`<td${facts}>${shown(row)}</td>`;
    }),
  );
  return frame(id, caption, html` data-sortable`, head, body);
}

/** A table that stays as it is. The first cell of a row says what the row is. */
export function plainTable(
  id: string,
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly HtmlPart[])[],
): Html {
  const head = titles.map((title) => html`<th scope="col">${title}</th>`);
  const body = rows.map(([name, ...cells]) => [
    html`<th scope="row">${name}</th>`,
    ...cells.map((cell) => html`<td>${cell}</td>`),
  ]);
  return frame(id, caption, html``, head, body);
}

/** The table with its caption above, outside of what scrolls where the window is narrow. */
function frame(
  id: string,
  caption: string,
  kind: Html,
  head: readonly Html[],
  body: readonly (readonly Html[])[],
): Html {
  const named = html`aria-labelledby="${id}-caption"`;
  return html`
    <div class="table">
      <p id="${id}-caption">${caption}</p>
      <div class="scroll" role="region" tabindex="0" ${named}>
        <table id="${id}" ${named}${kind}>
          <thead><tr>${head}</tr></thead>
          <tbody>${body.map((cells) => html`<tr>${cells}</tr>`)}</tbody>
        </table>
      </div>
    </div>
  `;
}

/** Charts in words, where they are looked for but not in the way. */
export function asTable(summary: string, table: Html): Html {
  return html`<details><summary>${summary}</summary>${table}</details>`;
}

export function section(id: string, title: string, ...content: readonly HtmlPart[]): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}
