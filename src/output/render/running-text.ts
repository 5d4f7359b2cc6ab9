import { type Html, html } from "./html.js";
import type { Hunk } from "./hunks.js";
import { type Markdown, trusted } from "./markdown.js";
import type { Segment } from "./prose-diff.js";
import { splitRows } from "./rows.js";
import { marked } from "./visible.js";

/*
 * Changes of prose are HTML: `~~` and `**` mean nothing beside spaces and between letters and punctuation marks, where most
 * changes are. In a block of HTML no text is Markdown, but hosts look for mentions, references, addresses, emoji and formulas
 * there, too, except in code: so what is not a plain word is code. As a quotation, no text passes for ours.
 */

/** One change with the text around it: what was removed is struck out, and what was added is bold. */
export function runningText({ segments, cutBefore, cutAfter }: Hunk): Markdown {
  const parts = segments.map((segment, at): Html => {
    const { kind, text } = segment;
    if (kind === "same") return inRows(segment);
    const shown = text.trim() === "" ? html`${marked(text)}` : inRows(segment);
    if (kind === "removed") return html`<del>${shown}</del>`;
    // A word that replaces another one stands apart from it, where that leaves no space that neither version has.
    const isApart = segments[at - 1]?.kind === "removed" && /(?:^|\s)$/.test(segments[at - 2]?.text ?? "");
    return html`<strong>${isApart && " "}${shown}</strong>`;
  });
  return trusted(String(html`<blockquote>${cutBefore && "…"}${parts}${cutAfter && "…"}</blockquote>`));
}

function inRows(segment: Segment): Html {
  return html`${splitRows(segment, false).map((row, at) => [at > 0 && html`<br>`, inert(row)])}`;
}

/** Placeholders and keycaps, characters that no host looks at, and words of others. */
const runs = /[0-9#*]\uFE0F\u20E3|\$\{[^{}\s]{1,64}\}|[^!-~]+|(?:(?!\$\{[^{}\s]{1,64}\})[!-~](?!\uFE0F))+/gu;
const signs = /^(?:[-*+=/|_.,;:!?()"'>]+|&|#{1,6})$/;
const word =
  /^["'(*_]*(?:[A-Za-z\d]+(?:['./_-][A-Za-z]+)*|\d+(?:[.,:/-]\d+)*)[)"'*_%]{0,5}[.,;:!?]{0,5}[)"'*_]{0,5}$/;
const suspicious = /[\da-f]{7}|www\./i;

/** Visible text, of which nothing is a mention, a reference or an address. */
function inert(text: string): Html {
  return html`${(text.match(runs) ?? []).map((run) => {
    const isWord = signs.test(run) || (word.test(run) && !suspicious.test(run));
    if (isWord || /^[^!-~]/.test(run)) return run;
    // A mark that ends a clause is not part of the placeholder or address before it.
    const end = /(?<=[^.,;:!?])[.,;:!?]$/.exec(run)?.[0] ?? "";
    return html`<code>${run.slice(0, run.length - end.length)}</code>${end}`;
  })}`;
}
