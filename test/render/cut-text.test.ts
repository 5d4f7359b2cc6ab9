import { expect, test } from "vitest";
import { toGitError } from "../../src/base/git/git-error.js";
import { toPlainLine } from "../../src/base/text/index.js";
import { shortenQuotes } from "../../src/output/documents/notice-document.js";

const wave = "👋";
const cutters: readonly (readonly [string, (text: string) => string])[] = [
  ["a service message", toPlainLine],
  ["a git command", (text) => toGitError(["log", text], 1, "").command],
  ["a notice", shortenQuotes],
];

test.each(cutters)("truncates %s at a character boundary", (_, cut) => {
  // In one of the two strings, the limit is inside a surrogate pair.
  for (const text of [wave.repeat(1_000), `a${wave.repeat(1_000)}`]) {
    const shown = cut(text);
    expect(shown.length).toBeLessThan(text.length);
    expect(shown).not.toMatch(/\p{Cs}/u);
    expect(shown.endsWith(`${wave}…`)).toBe(true);
  }
});
