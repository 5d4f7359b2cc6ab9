import { createHash } from "node:crypto";
import { clip } from "./cells.js";
import { visible } from "./visible.js";

/*
 * A page as a tree of elements, and the one function that turns text into HTML. Every string in the tree is text: it is made visible
 * (see `visible`) and escaped when the tree is written, so that no caller can forget it. What a form sends back is only escaped: made
 * visible, it would be another text. What is written as it stands is a style or a script, which are constants of ours.
 */

/** An element with its attributes and what is in it. */
export interface HtmlElement {
  readonly name: string;
  readonly attributes: HtmlAttributes;
  readonly content: readonly HtmlContent[];
}

/** Text, an element, or nothing. */
export type HtmlContent = HtmlElement | string | undefined;

/** Values of attributes: `true` is an attribute without a value; one that is undefined or false is left out. */
export type HtmlAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element. */
export function h(
  name: string,
  attributes: HtmlAttributes = {},
  ...content: readonly HtmlContent[]
): HtmlElement {
  return { name, attributes, content };
}

/** Foreign text in a text of ours: apart from the direction of what is around it, and not longer than a reader needs. */
export function foreign(text: string, width = 120): HtmlElement {
  return h("bdi", {}, shortened(text, width));
}

/** The text cut to a width in columns. */
export function shortened(text: string, width = 120): string {
  // No more is measured than could be shown, with the marks on each letter: the text may be of any length.
  return clip(text.slice(0, width * 30), width);
}

/** Text that has no effect in HTML, neither between tags nor in an attribute. */
export function escapeHtml(text: string): string {
  return escaped(visible(text));
}

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What a page is beside its body. */
export interface PageOptions {
  readonly title: string;
  readonly style: string;
  readonly script?: string;
  /** Whether its forms may send to its own server. Default: a page has no forms. */
  readonly hasForms?: boolean;
  /** The page loads itself again after as many seconds. */
  readonly refreshSeconds?: number | undefined;
}

/** The HTML of a page that loads nothing: its policy allows no request, and no style and script but its own. */
export function pageHtml(options: PageOptions, ...body: readonly HtmlContent[]): string {
  const { title, style, script, hasForms = false, refreshSeconds } = options;
  const parts: string[] = ["<!doctype html>\n"];
  const head = h(
    "head",
    {},
    h("meta", { charset: "utf-8" }),
    h("meta", { "http-equiv": "Content-Security-Policy", content: policy(options) }),
    h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    h("meta", { name: "color-scheme", content: "light dark" }),
    // Without any referrer, a browser would not say either where a form comes from.
    h("meta", { name: "referrer", content: hasForms ? "same-origin" : "no-referrer" }),
    h("meta", { name: "robots", content: "noindex" }),
    h("link", { rel: "icon", href: icon }),
    h("title", {}, title),
    refreshSeconds === undefined
      ? undefined
      : h("noscript", {}, h("meta", { "http-equiv": "refresh", content: refreshSeconds })),
    h("style", {}, style),
  );
  const scripts = script === undefined ? [] : [h("script", {}, script)];
  write(
    h("html", { lang: "en" }, head, h("body", { "data-refresh": refreshSeconds }, ...body, ...scripts)),
    parts,
  );
  return `${parts.join("").trimEnd()}\n`;
}

/** Three bars; a page without an icon would ask its server for one. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#4f83e0"><path d="M1 9h4v6H1zM6 5h4v10H6zM11 1h4v14h-4z"/></svg>',
)}`;

function policy({ style, script, hasForms = false }: PageOptions): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    "img-src data:",
    `style-src ${hash(style)}`,
    ...(script === undefined ? [] : [`script-src ${hash(script)}`]),
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
  ].join("; ");
}

const empty = new Set(["meta", "link", "rect", "line", "input"]);
const verbatim = new Set(["style", "script"]);
/** Elements between which a line end means nothing. */
const blocks = new Set(
  ["html", "head", "meta", "link", "title", "style", "script", "noscript", "body", "main", "header", "footer"]
    .concat(["section", "div", "h1", "h2", "h3", "p", "ul", "li", "dl", "figure", "figcaption", "details"])
    .concat(["summary", "table", "caption", "thead", "tbody", "tr", "svg", "g", "form"]),
);

function write(node: HtmlElement, parts: string[]): void {
  const { name, attributes, content } = node;
  parts.push(`<${name}`);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) parts.push(` ${key}`);
    else if (value !== undefined && value !== false)
      parts.push(` ${key}="${(key === "value" ? escaped : escapeHtml)(String(value))}"`);
  }
  // Elements of SVG end where they say so; to those of HTML the slash means nothing.
  // The line end at the beginning of a text to edit is not part of it.
  parts.push(empty.has(name) ? "/>" : name === "textarea" ? ">\n" : ">");
  for (const one of content) {
    if (typeof one === "object") write(one, parts);
    else if (one !== undefined)
      parts.push(verbatim.has(name) ? one : (name === "textarea" ? escaped : escapeHtml)(one));
  }
  if (!empty.has(name)) parts.push(`</${name}>`);
  if (blocks.has(name)) parts.push("\n");
}
