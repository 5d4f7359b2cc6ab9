import {
  type ForgottenText,
  type HistoryField,
  isForgotten,
  type ShownField,
  type ShownValue,
} from "../documents/index.js";
import { formatCount, formatNumber } from "./phrases.js";
import { countWords } from "./words.js";

/** Prints a value on one line. For a list, or a text whose content was not recorded, prints only the size. */
export function formatValueInLine(value: ShownValue | ForgottenText): string {
  if (isForgotten(value)) return `(${formatCount(value.length, "character")}, text not recorded)`;
  if (Array.isArray(value))
    return `${formatNumber(value.length)} ${value.length === 1 ? "entry" : "entries"}`;
  return typeof value === "string" ? quoteText(value) : JSON.stringify(value);
}

/** Describes the size of text in words and in characters (UTF-16 code units, as in the documents). */
export function describeSize(text: string): string {
  return `${formatCount(countWords(text), "word")}, ${formatCount(text.length, "character")}`;
}

/**
 * Formats a size change, such as "3,904 → 4,012 characters". Omits the old size if unknown. Returns undefined without a
 * new text.
 */
export function formatSizeChange({
  before,
  after,
}: Pick<HistoryField, "before" | "after">): string | undefined {
  const [old, now] = [before, after].map((value) =>
    typeof value === "string" || (value !== undefined && isForgotten(value)) ? value.length : undefined,
  );
  if (now === undefined) return undefined;
  if (old !== undefined) return `${formatNumber(old)} → ${formatCount(now, "character")}`;
  return typeof after === "string" ? describeSize(after) : formatCount(now, "character");
}

/** Returns whether there are two texts to compare. Clearing a short text needs no diff. */
export function canCompare({ type, before, after }: ShownField): boolean {
  if (type !== "prose" || typeof before !== "string" || typeof after !== "string") return false;
  return before !== "" && (after !== "" || !isShort(before));
}

/** Returns whether text is short enough to show in full. */
export function isShort(text: string): boolean {
  return text.length <= 60 && !text.includes("\n");
}

/** Prints a list entry on one line. */
export function formatEntryInLine(entry: ShownValue): string {
  if (typeof entry !== "object") return String(entry);
  return Object.values<ShownValue>(entry)
    .filter((value) => value !== "")
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join("  ");
}

export function quoteText(text: string): string {
  return text === "" ? "(empty)" : `"${text}"`;
}

/** Returns whether a field is a list or an object, and is therefore compared entry by entry. */
export function hasEntries({ type }: Pick<ShownField, "type">): boolean {
  return type === "list" || type === "object";
}

/** Returns the entries of a list, or the named parts of an object. Returns an empty list if they are unknown. */
export function toEntries(value: ShownField["before"]): readonly ShownValue[] {
  if (typeof value !== "object" || isForgotten(value)) return [];
  if (Array.isArray(value)) return value;
  return Object.entries(value).map(([name, part]) => `${name}: ${JSON.stringify(part)}`);
}
