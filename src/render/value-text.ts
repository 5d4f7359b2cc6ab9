import { type ForgottenText, isForgotten, type ShownField, type ShownValue } from "../documents/index.js";
import { count, number } from "./phrases.js";
import { wordCount } from "./words.js";

/** What can be said of a value in one line; a short text itself, of a long one its size. */
export function valueInLine(value: ShownValue | ForgottenText): string {
  if (isForgotten(value)) return `(${count(value.length, "character")}, text not kept)`;
  if (typeof value !== "string") return count(value.length, "entry").replace("entrys", "entries");
  return quoted(value);
}

/** A text's size. The characters are UTF-16 code units, as everywhere in the documents. */
export function sizeOf(text: string): string {
  return `${count(wordCount(text), "word")}, ${count(text.length, "character")}`;
}

/** "3,904 → 4,012 characters", as far as it is known; undefined where nothing was or is. */
export function sizeChange({ before, after }: ShownField): string | undefined {
  if (typeof after !== "string") return undefined;
  const old = before === undefined ? undefined : lengthOf(before);
  const unit = after.length === 1 ? "character" : "characters";
  if (old === undefined) return sizeOf(after);
  return `${number(old)} → ${number(after.length)} ${unit}`;
}

/** Whether both texts are there to be compared; a short one that is cleared is not worth a comparison. */
export function canCompare({ type, before, after }: ShownField): boolean {
  if (type !== "prose" || typeof before !== "string" || typeof after !== "string") return false;
  return before !== "" && (after !== "" || !isShort(before));
}

/** Whether a text is written out where it is not compared. */
export function isShort(text: string): boolean {
  return text.length <= 60 && !text.includes("\n");
}

/** One entry of a list: the first key's value, then the others'. */
export function entryInLine(entry: Readonly<Record<string, string>>): string {
  return Object.values(entry)
    .filter((value) => value !== "")
    .join("  ");
}

/** A text in quotes, or that there is none. */
export function quoted(text: string): string {
  return text === "" ? "(empty)" : `"${text}"`;
}

function lengthOf(value: ShownValue | ForgottenText): number {
  return value.length;
}
