import {
  type ForgottenText,
  type HistoryField,
  isForgotten,
  type ShownField,
  type ShownValue,
} from "../documents/index.js";
import { count, number } from "./phrases.js";
import { wordCount } from "./words.js";

/** A value in one line: a short text itself, the size of a long one. */
export function valueInLine(value: ShownValue | ForgottenText): string {
  if (isForgotten(value)) return `(${count(value.length, "character")}, text not recorded)`;
  if (Array.isArray(value)) return `${number(value.length)} ${value.length === 1 ? "entry" : "entries"}`;
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}

/** The size of a text in UTF-16 code units, as everywhere in the documents. */
export function describeSize(text: string): string {
  return `${count(wordCount(text), "word")}, ${count(text.length, "character")}`;
}

/** "3,904 → 4,012 characters", as far as known; undefined if there is no text. */
export function sizeChange({ before, after }: Pick<HistoryField, "before" | "after">): string | undefined {
  const [old, now] = [before, after].map((value) =>
    typeof value === "string" || (value !== undefined && isForgotten(value)) ? value.length : undefined,
  );
  if (now === undefined) return undefined;
  if (old !== undefined) return `${number(old)} → ${count(now, "character")}`;
  return typeof after === "string" ? describeSize(after) : count(now, "character");
}

/** Whether there are two texts to compare; clearing a short one needs no diff. */
export function canCompare({ type, before, after }: ShownField): boolean {
  if (type !== "prose" || typeof before !== "string" || typeof after !== "string") return false;
  return before !== "" && (after !== "" || !isShort(before));
}

/** Whether a text is shown in full when it is not compared. */
export function isShort(text: string): boolean {
  return text.length <= 60 && !text.includes("\n");
}

/** An entry of a list: of an object, the first part, then the others. */
export function entryInLine(entry: ShownValue): string {
  if (typeof entry !== "object") return String(entry);
  return Object.values<ShownValue>(entry)
    .filter((value) => value !== "")
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join("  ");
}

/** A text in quotes, or a note that it is empty. */
export function quoted(text: string): string {
  return text === "" ? "(empty)" : `"${text}"`;
}

/** Whether what differs are entries of a list, or parts of an object. */
export function hasEntries({ type }: Pick<ShownField, "type">): boolean {
  return type === "list" || type === "object";
}

/** The entries of a list, and the parts of an object, each with its name, as far as they are known. */
export function toEntries(value: ShownField["before"]): readonly ShownValue[] {
  if (typeof value !== "object" || isForgotten(value)) return [];
  if (Array.isArray(value)) return value;
  return Object.entries(value).map(([name, part]) => `${name}: ${JSON.stringify(part)}`);
}
