import { type Html, html } from "./html.js";
import type { Hunk } from "./hunks.js";
import { type Markdown, trustText } from "./markdown.js";
import type { Segment } from "./prose-diff.js";
import { splitRows } from "./rows.js";
import { markSpaces } from "./visible.js";

/*
 * Changes to prose are rendered as HTML, because `~~` and `**` do not work next to spaces or between letters and
 * punctuation. Hosts do not parse HTML blocks as Markdown, but still find mentions, references, URLs, emoji and
 * formulas outside code, so everything except plain words becomes code. A blockquote separates the prose from text
 * written by avatarops.
 */

/** Prints a change in its context, with removed text struck out and added text in bold. */
export function renderRunningText({ segments, cutBefore, cutAfter }: Hunk): Markdown {
  const parts = segments.map((segment, at): Html => {
    const { kind, text } = segment;
    if (kind === "same") return renderInRows(segment);
    const shown = text.trim() === "" ? html`${markSpaces(text)}` : renderInRows(segment);
    if (kind === "removed") return html`<del>${shown}</del>`;
    // Adds a space between a removed word and its replacement, but not within a word.
    const isApart = segments[at - 1]?.kind === "removed" && /(?:^|\s)$/.test(segments[at - 2]?.text ?? "");
    return html`<strong>${isApart && " "}${shown}</strong>`;
  });
  return trustText(String(html`<blockquote>${cutBefore && "…"}${parts}${cutAfter && "…"}</blockquote>`));
}

function renderInRows(segment: Segment): Html {
  return html`${splitRows(segment, false).map((row, at) => [at > 0 && html`<br>`, toInertHtml(row)])}`;
}

/** Matches one keycap or placeholder, a run of characters that hosts ignore, or a run of other characters. */
const runs = /[0-9#*]\uFE0F\u20E3|\$\{[^{}\s]{1,64}\}|[^!-~]+|(?:(?!\$\{[^{}\s]{1,64}\})[!-~](?!\uFE0F))+/gu;
const signs = /^(?:[-*+=/|_.,;:!?()"'>]+|&|#{1,6})$/;
const word =
  /^["'(*_]*(?:[A-Za-z\d]+(?:['./_-][A-Za-z]+)*|\d+(?:[.,:/-]\d+)*)[)"'*_%]{0,5}[.,;:!?]{0,5}[)"'*_]{0,5}$/;
const suspicious = /[\da-f]{7}|www\./i;

/** Prints visible text so that hosts detect no mentions, references or URLs in it. */
function toInertHtml(text: string): Html {
  return html`${(text.match(runs) ?? []).map((run) => {
    const isWord = signs.test(run) || (word.test(run) && !suspicious.test(run));
    if (isWord || /^[^!-~]/.test(run)) return run;
    // Punctuation after a placeholder or URL belongs to the sentence.
    const end = /(?<=[^.,;:!?])[.,;:!?]$/.exec(run)?.[0] ?? "";
    return html`<code>${run.slice(0, run.length - end.length)}</code>${end}`;
  })}`;
}
