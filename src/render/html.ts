import { clip } from "./cells.js";
import { visible } from "./visible.js";

/*
 * A page as a tree of elements, and the one function that turns text into HTML. Every string in the tree is text: it is made visible
 * (see `visible`) and escaped when the tree is written, so that no caller can forget it. What is written as it stands is a style or
 * a script, which are constants of ours.
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
  return visible(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The HTML of a page. */
export function pageHtml(root: HtmlElement): string {
  const parts: string[] = ["<!doctype html>\n"];
  write(root, parts);
  return `${parts.join("").trimEnd()}\n`;
}

const empty = new Set(["meta", "link", "rect", "line"]);
const verbatim = new Set(["style", "script"]);
/** Elements between which a line end means nothing. */
const blocks = new Set(
  ["html", "head", "meta", "link", "title", "style", "script", "noscript", "body", "main", "header", "footer"]
    .concat(["section", "div", "h1", "h2", "h3", "p", "ul", "li", "dl", "figure", "figcaption", "details"])
    .concat(["summary", "table", "caption", "thead", "tbody", "tr", "svg", "g"]),
);

function write(node: HtmlElement, parts: string[]): void {
  const { name, attributes, content } = node;
  parts.push(`<${name}`);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) parts.push(` ${key}`);
    else if (value !== undefined && value !== false) parts.push(` ${key}="${escapeHtml(String(value))}"`);
  }
  // Elements of SVG end where they say so; to those of HTML the slash means nothing.
  parts.push(empty.has(name) ? "/>" : ">");
  for (const one of content) {
    if (typeof one === "object") write(one, parts);
    else if (one !== undefined) parts.push(verbatim.has(name) ? one : escapeHtml(one));
  }
  if (!empty.has(name)) parts.push(`</${name}>`);
  if (blocks.has(name)) parts.push("\n");
}
