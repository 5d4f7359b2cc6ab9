import { emojiSequence, laterPattern } from "./characters.js";

declare const shown: unique symbol;

/**
 * Text that cannot affect a terminal or deceive a reader. Only {@link visible} and {@link marked} create it.
 */
export type Shown = string & { readonly [shown]: true };

/*
 * Names, prompts and messages come from people and from the service, and a review shows them to somebody who
 * is about to approve them. So none of their characters may move the cursor, colour the screen (C0 and C1
 * controls), reorder the text (bidi controls, as in CVE-2021-42574) or be invisible (zero-width, tag and
 * other ignorable characters). Each is written out as ‹U+202E›. Nor may a text give a command to the CI
 * runner that reads our output: `##[` and `##vso[` anywhere in a line, `::error` at its start (see below).
 * All output passes through here: text gets into a span only as `Shown`.
 *
 * Some ignorable characters have a meaning and stay: the joiners and variation selectors inside emoji,
 * keycaps, and the joiners of the scripts whose spelling needs them.
 */
const joining = ["Arabic", "Syriac", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil"]
  .concat(["Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Mongolian"])
  .map((script) => String.raw`\p{Script=${script}}`)
  .join("");
const meaningful = [
  emojiSequence,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  // The joiner first: looking back from every character takes quadratic time in a heap of marks.
  String.raw`[\u200C\u200D](?<=[${joining}]\p{M}*[\u200C\u200D])(?=[${joining}])`,
].join("|");
const treacherous = String.raw`[\p{Cc}\p{Cs}\p{Co}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]`;

const anyTreacherous = new RegExp(treacherous, "u");
const everyTreacherous = laterPattern([`(${meaningful})`, treacherous]);
const unusualSpaces = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g;

/*
 * CI runners treat some lines as commands: `##vso[task.setvariable …]`, `##[group]…`, `##teamcity[…]`
 * anywhere in the line, `::set-output …::` after nothing but blanks. The position of a text in its line is
 * unknown before layout, so the first colon of every word that starts with `::` is written out. `inert`
 * handles what layout moves to the start of a line, such as the rest of a long word.
 */
const everyCommand = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=(?:^|\s):)/g;
const commandsInLines = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=^[^\S\r\n]*:)/gm;

const signs: Readonly<Record<string, string>> = { "\n": "⏎", "\r": "␍", "\t": "⇥" };

/** The text with everything dangerous written out. Idempotent. */
export function visible(text: string): Shown {
  return withoutCommands(replaceTreacherous(text, writeOut), everyCommand) as Shown;
}

/** The text with each dangerous character as `write` has it; those with a meaning stay. */
export function replaceTreacherous(text: string, write: (character: string) => string): string {
  if (!anyTreacherous.test(text)) return text;
  return text.replace(everyTreacherous(), (found, kept?: string) => kept ?? write(found));
}

/** Output after layout, without commands to a CI runner in its lines. */
export function inert(output: string): string {
  return withoutCommands(output, commandsInLines);
}

function withoutCommands(text: string, commands: RegExp): string {
  return text.includes("##") || text.includes("::") ? text.replace(commands, writeOut) : text;
}

/** Like {@link visible}, for text that differs: easily overlooked spaces are written out too. */
export function marked(text: string): Shown {
  const onlySpace = text.trim() === "";
  const spaced = text.replace(/ +/g, (spaces, at: number) => {
    const next = text.slice(at + spaces.length, at + spaces.length + 2);
    return onlySpace || next.startsWith("\n") || next === "\r\n" ? "·".repeat(spaces.length) : spaces;
  });
  return visible(spaced.replace(unusualSpaces, writeOut));
}

function writeOut(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return signs[character] ?? `‹U+${point.toString(16).toUpperCase().padStart(4, "0")}›`;
}
