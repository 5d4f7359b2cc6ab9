import { createLazyPattern, emojiSequence } from "./characters.js";

declare const shown: unique symbol;

/**
 * Text that cannot affect a terminal or deceive a reader. Only {@link makeVisible} and {@link markSpaces} create it.
 */
export type SafeText = string & { readonly [shown]: true };

/*
 * Names, prompts and messages come from people and from the service, and reviewers rely on the displayed text. So
 * characters that control the screen (C0 and C1), reorder text (bidi controls, as in CVE-2021-42574) or are invisible
 * (zero-width, tag and other ignorable characters) are replaced by visible codes, such as ‹U+202E›.
 *
 * Some ignorable characters are meaningful and stay, such as joiners and variation selectors in emoji, and joiners in
 * scripts whose spelling needs them.
 */
const joining = ["Arabic", "Syriac", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil"]
  .concat(["Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Mongolian"])
  .map((script) => String.raw`\p{Script=${script}}`)
  .join("");
const meaningful = [
  emojiSequence,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  // The joiner comes first, because a look-behind at every character takes quadratic time in a long run of marks.
  String.raw`[\u200C\u200D](?<=[${joining}]\p{M}*[\u200C\u200D])(?=[${joining}])`,
].join("|");
const treacherous = String.raw`[\p{Cc}\p{Cs}\p{Co}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]`;

const anyTreacherous = new RegExp(treacherous, "u");
const everyTreacherous = createLazyPattern([`(${meaningful})`, treacherous]);
const unusualSpaces = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g;

/*
 * CI runners interpret commands in the output: `##vso[task.setvariable …]`, `##[group]…` and `##teamcity[…]` anywhere,
 * `::set-output …::` only at the start of a line, possibly indented. Positions are unknown before layout, so the first
 * colon of every word that starts with `::` is replaced. `disarmCommands` handles text that the layout moves to the
 * start of a line, such as the rest of a long word.
 */
const everyCommand = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=(?:^|\s):)/g;
const commandsInLines = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=^[^\S\r\n]*:)/gm;

const signs: Readonly<Record<string, string>> = { "\n": "⏎", "\r": "␍", "\t": "⇥" };

/** Replaces everything dangerous in text with visible codes. Idempotent. */
export function makeVisible(text: string): SafeText {
  return writeOutCommands(replaceUnsafe(text, writeOut), everyCommand) as SafeText;
}

/** Replaces each dangerous character with the result of `write`. Keeps meaningful joiners and selectors. */
export function replaceUnsafe(text: string, write: (character: string) => string): string {
  if (!anyTreacherous.test(text)) return text;
  return text.replace(everyTreacherous(), (found, kept?: string) => kept ?? write(found));
}

/** Disarms CI runner commands after layout, by replacing one of their characters with a visible code. */
export function disarmCommands(output: string): string {
  return writeOutCommands(output, commandsInLines);
}

function writeOutCommands(text: string, commands: RegExp): string {
  return text.includes("##") || text.includes("::") ? text.replace(commands, writeOut) : text;
}

/** Makes text visible like `makeVisible`, and also marks spaces that are easily overlooked in a difference. */
export function markSpaces(text: string): SafeText {
  const onlySpace = text.trim() === "";
  const spaced = text.replace(/ +/g, (spaces, at: number) => {
    const next = text.slice(at + spaces.length, at + spaces.length + 2);
    return onlySpace || next.startsWith("\n") || next === "\r\n" ? "·".repeat(spaces.length) : spaces;
  });
  return makeVisible(spaced.replace(unusualSpaces, writeOut));
}

function writeOut(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return signs[character] ?? `‹U+${point.toString(16).toUpperCase().padStart(4, "0")}›`;
}
