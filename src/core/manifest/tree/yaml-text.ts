import { Document, visit, type YAMLMap } from "yaml";
import type { Value } from "../../kinds/index.js";
import { isEnv, isFile, type ValueSource, writtenFields } from "../../secrets/index.js";

/** What is written under keys: values, sources, and mappings of them. */
export interface Entries {
  readonly [key: string]: Value | ValueSource | Entries;
}

export interface EntriesPlace {
  /** The column of the keys, from 0. */
  readonly column?: number;
  /** On one line, for between braces. */
  readonly flow?: boolean;
  /** Whether a text is put into double quotes, in which any text can be written. */
  readonly isQuoted?: (text: string) => boolean;
}

/** Characters that nobody sees, or that end a line elsewhere; the library escapes the others. */
const unseen = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Entries of a mapping as YAML: lines, each with its end, or what stands between braces. */
export function entriesText(
  entries: Entries,
  { column = 0, flow = false, isQuoted = () => false }: EntriesPlace = {},
): string {
  const document = new Document(entries, toNode, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(role, node) {
      if (role !== "key" && typeof node.value === "string" && !node.tag)
        node.type = chooseStyle(node.value, isQuoted);
    },
  });
  (document.contents as unknown as YAMLMap).flow = flow;
  const text = escapeUnseen(
    document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY }),
  );
  if (flow) return text.slice("{ ".length, -" }\n".length);
  return text.replace(/^(?=[^\n])/gm, " ".repeat(column));
}

/** Texts that YAML 1.1 takes for a boolean, a time or a date. */
const otherInYaml11 =
  /^(?:y|n|yes|no|on|off|[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?|\d{4}-\d\d?-\d\d?(?:[Tt ][^\n]*)?)$/i;

/** In the names of the `yaml` package. */
export function chooseStyle(text: string, isQuoted: (text: string) => boolean) {
  if (isQuoted(text) || otherInYaml11.test(text) || text.search(unseen) !== -1) return "QUOTE_DOUBLE";
  if (!text.includes("\n")) return "PLAIN";
  return /[^\n]/.test(text) ? "BLOCK_LITERAL" : "QUOTE_DOUBLE";
}

/** For a text that has such characters between double quotes only. */
export function escapeUnseen(yaml: string): string {
  return yaml.replace(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function isSource(value: unknown): value is ValueSource {
  return typeof (value as { from?: unknown } | null)?.from === "string";
}

function toNode(_key: unknown, value: unknown): unknown {
  if (!isSource(value)) return value;
  const fields = Object.values(writtenFields(value));
  // A list alone may follow its tag, as the name of a variable and of a file do: `!exec [pass, show, llm]`.
  const isAlone = isEnv(value) || isFile(value) || (fields.length === 1 && typeof fields[0] === "object");
  const node = new Document(isAlone ? fields[0] : writtenFields(value)).contents;
  return Object.assign(node as object, { tag: `!${value.from}`, flow: true });
}

/** Half of a surrogate pair: UTF-8 cannot encode it, but an escape can. */
export function hasHalfCharacter(value: string): boolean {
  return /\p{Surrogate}/u.test(value);
}
