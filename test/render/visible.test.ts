import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as render from "../../src/output/render/index.js";
import { markSpaces } from "../../src/output/render/visible.js";
import { scaleRuns } from "../real/long.js";
import { createDocuments, createRecord, hostile } from "./hostile.js";
import { writeSessions } from "./samples.js";

test.each([
  ["plain words", "plain words"],
  ["\u001b[31mred\u0007", "‹U+001B›[31mred‹U+0007›"],
  ["\u009b2J", "‹U+009B›2J"],
  ["abc\u202edef", "abc‹U+202E›def"],
  ["a\u200bb\ufeff", "a‹U+200B›b‹U+FEFF›"],
  ["two\nlines\r\n\tthree", "two⏎lines␍⏎⇥three"],
  ["lone \ud83d half", "lone ‹U+D83D› half"],
  ["\u{e0041}tag", "‹U+E0041›tag"],
  ["a\u200db", "a‹U+200D›b"],
  ["👨‍👩‍👧 ❤️ 👍🏽 1️⃣ 🇩🇪", "👨‍👩‍👧 ❤️ 👍🏽 1️⃣ 🇩🇪"],
  ["می‌خواهم", "می‌خواهم"],
  ["à la carte\u00a0!", "à la carte\u00a0!"],
  ["::error file=a::b", "‹U+003A›:error file=a::b"],
  ["\u00a0 ::Add-Mask::b", "\u00a0 ‹U+003A›:Add-Mask::b"],
  ["words and ::error::b", "words and ‹U+003A›:error::b"],
  ["##[group]a ##vso[task.complete]b ###[c]", "‹U+0023›#[group]a ‹U+0023›#vso[task.complete]b #‹U+0023›#[c]"],
  ["##VSO[a] ##teamcity[a]", "‹U+0023›#VSO[a] ‹U+0023›#teamcity[a]"],
  ["## Title, a::b, http://[::1]:80, :: and [#1]", "## Title, a::b, http://[::1]:80, :: and [#1]"],
])("makes %j visible as %s", (text, shown) => {
  expect(render.makeVisible(text)).toBe(shown);
});

test.each([
  ["end  \nnext", "end··⏎next"],
  ["end  \r\nnext", "end··␍⏎next"],
  ["  ", "··"],
  ["two words", "two words"],
  ["10\u00a0000", "10‹U+00A0›000"],
])("shows %j as %s in a diff", (text, shown) => {
  expect(markSpaces(text)).toBe(shown);
});

test.each([
  ["a long word broken between characters", ["abc", "  ::error::", ""], ["abc", "  ‹U+003A›:error::", ""]],
  ["words", ["a ::error::", "[::1]", "::"], ["a ::error::", "[::1]", "::"]],
  ["a lone carriage return", ["a\r::error::"], ["a\r‹U+003A›:error::"]],
])("escapes only wrapped lines that start with a CI runner command: %s", (_, lines, left) => {
  expect(render.disarmCommands(lines.join("\n"))).toBe(left.join("\n"));
});

/** Matches runner commands, even with colors. */
const commands = /##\w*\[|^\s*::[A-Za-z]/m;
const forbidden = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\uFEFF\u200B]/u;

test("leaves text unchanged if it is already escaped", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const shown = render.makeVisible(text);
      expect(render.makeVisible(shown)).toBe(shown);
      expect(shown).not.toMatch(forbidden);
      expect(shown).not.toMatch(commands);
    }),
  );
});

test("renders only visible characters for any string in any document", () => {
  fc.assert(
    fc.property(hostile, hostile, fc.integer({ min: 1, max: 120 }), (a, b, width) => {
      const options = { color: false, width };
      for (const text of renderAll(a, b, options)) {
        expect(text.replaceAll("\n", "")).not.toMatch(forbidden);
        expect(text).not.toMatch(/ $/m);
        expect(text).not.toMatch(commands);
      }
      for (const text of renderAll(a, b, { color: true, width }))
        expect(stripVTControlCharacters(text)).not.toMatch(commands);
    }),
    { numRuns: scaleRuns(150) },
  );
});

function renderAll(a: string, b: string, options: render.TextOptions): string[] {
  const sessions = [{ id: a, created_at: b, mode: a, source: b, end_reason: a }];
  return [
    ...createDocuments(a, b).map((document) => render.renderText(document, options)),
    writeSessions(sessions, "text", options),
    ...[true, false].map((diff) =>
      render.renderHistoryItem(createRecord(a, b), "text", { diff, ...options }),
    ),
    render.renderProgressText({ type: "started", address: a, action: "create", label: b }, options),
    render.renderProgressText({ type: "waiting", why: a, forMs: 10 }, options),
  ];
}

test.each(["\u{e0041}\u{e007f}", "\u200b", "\u00ad", "\u2066", "\ufeff", "\ufff9", "\u{f0000}", "\u{e0100}"])(
  "escapes %j in JSON and keeps emoji and joined letters",
  (character) => {
    for (const json of [
      render.renderJson({ a: `b${character}` }),
      render.renderJsonLine({ a: `b${character}` }),
    ]) {
      expect(json).toMatch(/^[\x20-\x7e\n]*$/);
      expect(JSON.parse(json)).toEqual({ a: `b${character}` });
    }
    expect(render.renderJsonLine({ a: "👩‍💻 می‌خواهم é" })).toBe('{"a":"👩‍💻 می‌خواهم é"}\n');
  },
);

test("renders JSON that contains no control characters or commands and parses to the same value", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const json = render.renderJson({ text });
      expect(json.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029\uFEFF]/u);
      expect(json).not.toMatch(commands);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});
