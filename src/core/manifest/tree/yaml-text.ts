import { isMap, isScalar, parseDocument } from "yaml";
import type { Item } from "../../kinds/index.js";

/** The future place of a value. */
export interface ValuePlace {
  /** The column of the value's key, from 0: block scalars are indented deeper. */
  readonly column: number;
  /** Inside `{}` or `[]`, which cannot hold block scalars. */
  readonly flow: boolean;
  /** The style of the present value, in the names of the `yaml` package. */
  readonly style?: string;
}

const step = 2;

/**
 * A number, or true or false, or a text in YAML syntax, in the present style if that can express it. A block scalar ends with a line end,
 * other styles do not. Each candidate is parsed again and compared, because YAML's rules are hard to predict.
 */
export function toYaml(value: string | number | boolean, place: ValuePlace): string {
  if (typeof value !== "string") return String(value);
  const found = listSpellings(value, place).find((text) => readsAs(text, value, place));
  if (found === undefined) throw new Error("Bug: a double-quoted text does not read as itself");
  return found;
}

/** A list of records: one `- key: value` block each, or in brackets. */
export function toYamlList(items: readonly Item[], place: ValuePlace): string {
  if (items.length === 0) return "[]";
  if (place.flow) {
    const records = items.map((item) => {
      const parts = Object.entries(item).map(([key, value]) => `${key}: ${toYaml(value, place)}`);
      return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
    });
    return `[${records.join(", ")}]`;
  }
  return items.map((item) => toYamlRecord(item, place.column)).join("");
}

/** One `- key: value` block with its dash in `column`. */
function toYamlRecord(item: Item, column: number): string {
  const lines = Object.entries(item).map(([key, value], i) => {
    const before = i === 0 ? `${" ".repeat(column)}- ` : " ".repeat(column + step);
    return withLineEnd(`${before}${key}: ${toYaml(value, { column: column + step, flow: false })}`);
  });
  return lines.length === 0 ? `${" ".repeat(column)}- {}\n` : lines.join("");
}

export function withLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** Ways to write a text, the preferred one first; the last one always works. */
function listSpellings(value: string, { column, flow, style = "PLAIN" }: ValuePlace): string[] {
  const double = doubleQuoted(value);
  if (unprintable.test(value) || hasHalfCharacter(value)) return [double];
  const isBlock = !flow && (value.includes("\n") || style.startsWith("BLOCK"));
  if (isBlock && /[^\n]/.test(value)) return [blockText(value, column), double];
  if (value.includes("\n")) return [double];
  if (style === "QUOTE_DOUBLE") return [double];
  const single = `'${value.replaceAll("'", "''")}'`;
  return style === "QUOTE_SINGLE" ? [single, double] : [value, double];
}

/** Control characters, line separators of Unicode and byte order marks are written as escapes. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

/** Half of a surrogate pair: UTF-8 cannot encode it, but an escape can. */
export function hasHalfCharacter(value: string): boolean {
  return /\p{Surrogate}/u.test(value);
}

function doubleQuoted(value: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(new RegExp(unprintable, "g"), escaped);
}

function blockText(value: string, column: number): string {
  const chomping = value.endsWith("\n\n") ? "+" : value.endsWith("\n") ? "" : "-";
  // Without an indentation indicator, the first non-empty line decides the indentation.
  const depth = /^\n*[ \t]/.test(value) ? String(step) : "";
  const margin = " ".repeat(column + step);
  const lines = value.replace(/\n$/, "").split("\n");
  return `|${depth}${chomping}\n${lines.map((line) => (line === "" ? "\n" : `${margin}${line}\n`)).join("")}`;
}

function readsAs(text: string, value: string, { column, flow }: ValuePlace): boolean {
  const margin = " ".repeat(column);
  const around = flow ? `{ key: ${text}, next: 1 }` : `${withLineEnd(`key: ${text}`)}${margin}next: 1\n`;
  const document = parseDocument(flow ? around : margin + around, {
    prettyErrors: false,
    logLevel: "silent",
  });
  if (document.errors.length > 0 || document.warnings.length > 0 || !isMap(document.contents)) return false;
  const [read, next] = document.contents.items;
  const node = read?.value;
  return next !== undefined && isScalar(node) && !node.tag && !node.anchor && node.value === value;
}
