import { conflictHint, conflictInText } from "../../../base/text/index.js";
import { judgeProse, listTexts, type Rule, type Violation, withoutCode } from "../rule.js";

/*
 * What JavaScript makes of a value that is not there, or is no text: the script that wrote the prompt was wrong. The word
 * "undefined" is English, too. It is reported where no adjective stands: not in "is undefined", "an undefined term" or
 * "undefined behaviour", nor in quotes and code.
 */
export const missingValue: Rule<"missing-value"> = (declaration) =>
  judgeProse(declaration, (text) =>
    Array.from(withoutCode(text).matchAll(written))
      .filter(({ index, 0: found }) => found !== "undefined" || isLeftOver(text, index))
      .map(({ index, 0: found }) => ({
        message: `has ${found}, which a program writes where it has no text`,
        hint: "write what belongs there",
        part: { start: index, end: index + found.length },
      })),
  );

const written = /\[object [A-Z][A-Za-z]{0,30}\]|\bundefined\b/g;
const before =
  /(?<!you )\b(?:is|are|was|were|be|been|being|as|left|remains?|stays?|becomes?|seems?|an?|the|any|every|some|still|not|or|and|if|otherwise) $/i;
const after =
  /^ (?:behaviou?rs?|terms?|values?|variables?|references?|results?|functions?|propert(?:y|ies)|keys?|fields?|states?|names?|words?|amounts?|numbers?|or|in|by|for)\b/;

/** Whether "undefined" is no part of English, of a longer name, or of a quotation. */
function isLeftOver(text: string, at: number): boolean {
  const end = at + "undefined".length;
  if (/[$"'“‘«/.-]/.test(text.charAt(at - 1)) || /[$"'”’»/(-]/.test(text.charAt(end))) return false;
  return !before.test(text.slice(Math.max(0, at - 20), at)) && !after.test(text.slice(end, end + 20));
}

/* YAML with such markers does not parse; a prompt takes them like any text, and the avatar is told both sides. */
export const mergeConflict: Rule<"merge-conflict"> = (declaration) =>
  listTexts(declaration).flatMap(({ path, text }): Violation[] => {
    const part = conflictInText(text);
    const message = "has git's conflict markers, which the avatar would read";
    return part ? [{ path, message, hint: conflictHint, part }] : [];
  });
