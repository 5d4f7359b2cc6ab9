import { createHash } from "node:crypto";
import { clip } from "./cells.js";
import { makeVisible } from "./visible.js";

/*
 * Pages are built from HTML templates. The template tag makes all text visible (see `makeVisible`) and escapes it,
 * between tags and in attributes, so callers need not. Only the style sheet, a constant, is inserted unchanged.
 */

/** HTML in which all untrusted text has been escaped. */
class SafeHtml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}
export type Html = SafeHtml;

/** Part of a template, such as text, HTML or a list of parts. False and undefined render nothing. */
export type HtmlPart = Html | string | number | false | undefined | readonly HtmlPart[];

/** Template tag for HTML. Removes the template's line breaks and indentation. */
export function html(template: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new SafeHtml(template.map((text, at) => text.replace(/\n\s*/g, "") + write(parts[at])).join(""));
}

function write(part: HtmlPart): string {
  if (part === undefined || part === false) return "";
  if (typeof part === "object") return part instanceof SafeHtml ? String(part) : part.map(write).join("");
  return escapeText(makeVisible(String(part)));
}

function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Truncates untrusted text, and keeps its writing direction from affecting the text around it. */
export function toUntrustedText(text: string, width = 120): Html {
  // Limits the text to measure. A letter may have up to 30 marks.
  return html`<bdi>${clip(text.slice(0, width * 30), width)}</bdi>`;
}

/** Returns untrusted text as code, for a `<summary>` in Markdown. */
export function toHtmlCode(text: string): HtmlPart {
  const shown = makeVisible(clip(text, 200));
  return shown.trim() !== "" && html`<code>${shown}</code>`;
}

/** Returns a self-contained page. Its content security policy forbids requests, scripts and other styles. */
export function renderPage(
  { title, style }: Readonly<Record<"title" | "style", string>>,
  body: Html,
): string {
  const page = html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8"/>
        <meta http-equiv="Content-Security-Policy" content="${createStylePolicy(style)}"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <meta name="referrer" content="no-referrer"/>
        <meta name="robots" content="noindex"/>
        <link rel="icon" href="${icon}"/>
        <title>${title}</title>
        <style>${new SafeHtml(style)}</style>
      </head>
      <body>
        ${body}
      </body>
    </html>
  `;
  return String(page);
}

/** Icon with three bars. Without an icon, browsers request one from the server. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#4f83e0"><path d="M1 9h4v6H1zM6 5h4v10H6zM11 1h4v14h-4z"/></svg>',
)}`;

function createStylePolicy(style: string): string {
  return [
    "default-src 'none'",
    "img-src data:",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
