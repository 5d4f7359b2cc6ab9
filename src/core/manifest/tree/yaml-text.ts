import { Document, visit, type YAMLMap } from "yaml";
import type { Value } from "../../kinds/index.js";
import { isEnv, isFile, listWrittenFields, type ValueSource } from "../../secrets/index.js";

/** Values, sources and nested entries, by key. */
export interface Entries {
  readonly [key: string]: Value | ValueSource | Entries;
}

export interface EntriesFormat {
  /** The column of the keys, from 0. */
  readonly column?: number;
  /** Whether to format the entries on one line, for use between braces. */
  readonly flow?: boolean;
  /** Returns whether to double-quote a string. Double quotes can represent any string. */
  readonly isQuoted?: (text: string) => boolean;
}

/** Invisible characters and rare line endings that the library does not escape. */
const invisible = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Formats a mapping's entries as YAML lines, or as the text between braces. */
export function formatEntries(
  entries: Entries,
  { column = 0, flow = false, isQuoted = () => false }: EntriesFormat = {},
): string {
  const document = new Document(entries, toNode, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(role, node) {
      if (role !== "key" && typeof node.value === "string" && !node.tag)
        node.type = chooseStyle(node.value, isQuoted);
    },
  });
  (document.contents as unknown as YAMLMap).flow = flow;
  const text = escapeInvisible(
    document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY }),
  );
  if (flow) return text.slice("{ ".length, -" }\n".length);
  return text.replace(/^(?=[^\n])/gm, " ".repeat(column));
}

/** Plain strings that YAML 1.1 parses as a boolean, a time or a date. */
const otherInYaml11 =
  /^(?:y|n|yes|no|on|off|[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?|\d{4}-\d\d?-\d\d?(?:[Tt ][^\n]*)?)$/i;

/** Chooses the scalar style for a string. Styles have the names that the `yaml` package uses. */
export function chooseStyle(text: string, isQuoted: (text: string) => boolean) {
  if (isQuoted(text) || otherInYaml11.test(text) || text.search(invisible) !== -1) return "QUOTE_DOUBLE";
  if (!text.includes("\n")) return "PLAIN";
  return /[^\n]/.test(text) ? "BLOCK_LITERAL" : "QUOTE_DOUBLE";
}

/** Escapes invisible characters. The result is valid only between double quotes. */
export function escapeInvisible(yaml: string): string {
  return yaml.replace(
    invisible,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function isSource(value: unknown): value is ValueSource {
  return typeof (value as { from?: unknown } | null)?.from === "string";
}

function toNode(_key: unknown, value: unknown): unknown {
  if (!isSource(value)) return value;
  const fields = Object.values(listWrittenFields(value));
  // If a list is the only field, it may follow the tag directly, like a variable name or a path: `!exec [pass, show,
  // llm]`.
  const isAlone = isEnv(value) || isFile(value) || (fields.length === 1 && typeof fields[0] === "object");
  const node = new Document(isAlone ? fields[0] : listWrittenFields(value)).contents;
  return Object.assign(node as object, { tag: `!${value.from}`, flow: true });
}

/** Returns whether a string has a lone surrogate, which YAML can escape but UTF-8 cannot encode. */
export function hasLoneSurrogate(value: string): boolean {
  return /\p{Surrogate}/u.test(value);
}
