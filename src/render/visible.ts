import { emojiSequence, laterPattern } from "./characters.js";

declare const shown: unique symbol;

/** Text that cannot do anything to a terminal or deceive a reader. Only {@link visible} and {@link marked} make it. */
export type Shown = string & { readonly [shown]: true };

/*
 * Names, prompts and messages come from people and from the service, and a review shows them to somebody who is
 * about to agree to them. So no character of theirs may move the cursor, colour the screen (C0 and C1 controls),
 * reorder what is read (bidi controls, as in CVE-2021-42574) or hide (zero-width, tag and other ignorable
 * characters). Each is written out as ‹U+202E›. Nor may a text give a command to the CI runner that reads our output:
 * `##[` and `##vso[` anywhere in a line, `::error` at its beginning (see below). Everything that is printed passes
 * through here: text gets into a span of output only as `Shown`.
 *
 * Some ignorable characters carry meaning and stay where they do: the joiners and variation selectors inside emoji,
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
 * Runners take lines for commands: `##vso[task.setvariable …]`, `##[group]…`, `##teamcity[…]` wherever they stand in the
 * line, `::set-output …::` after nothing but blanks. Where a text will stand in its line is not known before it is laid
 * out, so every word that begins with `::` has its first colon written out. What only laying out puts at the beginning
 * of a line, as of a long word that is broken, `inert` finds.
 */
const everyCommand = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=(?:^|\s):)/g;
const commandsInLines = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=^[^\S\r\n]*:)/gm;

const signs: Readonly<Record<string, string>> = { "\n": "⏎", "\r": "␍", "\t": "⇥" };

/** The text with everything treacherous written out. Idempotent. */
export function visible(text: string): Shown {
  const shown = anyTreacherous.test(text)
    ? text.replace(everyTreacherous(), (found, kept?: string) => kept ?? signOf(found))
    : text;
  return withoutCommands(shown, everyCommand) as Shown;
}

/** Output as it is laid out, its lines without commands to a CI runner. */
export function inert(output: string): string {
  return withoutCommands(output, commandsInLines);
}

function withoutCommands(text: string, commands: RegExp): string {
  return text.includes("##") || text.includes("::") ? text.replace(commands, signOf) : text;
}

/** As {@link visible}, for text that differs: spaces that would not be noticed are written out too. */
export function marked(text: string): Shown {
  const onlySpace = text.trim() === "";
  const spaced = text.replace(/ +/g, (spaces, at: number) => {
    const next = text.slice(at + spaces.length, at + spaces.length + 2);
    return onlySpace || next.startsWith("\n") || next === "\r\n" ? "·".repeat(spaces.length) : spaces;
  });
  return visible(spaced.replace(unusualSpaces, signOf));
}

function signOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return signs[character] ?? `‹U+${point.toString(16).toUpperCase().padStart(4, "0")}›`;
}
