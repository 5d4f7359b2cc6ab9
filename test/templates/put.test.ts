import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../fuzz.js";
import { putBack } from "../../src/core/templates/index.js";
import { isLong } from "../real/long.js";
import { composeWritten, prompts, written } from "./compositions.js";

/** Edits as people make them: a word replaced, put in or taken out, a line added, in four scripts. */
const words = ["kind", "freundlich", "вежливо", "丁寧に", "{{", "${x}", "two words", "\n", "- a line\n", ""];
const edit = fc.tuple(fc.nat({ max: 10_000 }), fc.nat({ max: 12 }), fc.constantFrom(...words));

function edited(text: string, edits: readonly (readonly [number, number, string])[]): string {
  return edits.reduce((now, [at, length, put]) => {
    const start = now.length === 0 ? 0 : at % (now.length + 1);
    return now.slice(0, start) + put + now.slice(start + length);
  }, text);
}

describe("the way back", () => {
  it("changes nothing where nothing was edited (GetPut)", () => {
    fc.assert(
      fc.property(written, (one) => {
        const composition = composeWritten(one);
        expect(putBack(composition, composition.text)).toEqual({ edits: [] });
      }),
      { numRuns: isLong ? 20_000 : 500 },
    );
  });

  it("makes the edited text, or nothing (PutGet)", () => {
    let placed = 0;
    fc.assert(
      fc.property(written, fc.array(edit, { minLength: 1, maxLength: 3 }), (one, edits) => {
        const composition = composeWritten(one);
        const live = edited(composition.text, edits);
        const put = putBack(composition, live);
        if ("unplaced" in put) return;
        placed += 1;
        const files = { ...one.files };
        for (const { range, text } of put.edits.toSorted((a, b) => b.range.start - a.range.start)) {
          const { file } = range.source;
          const before = files[file] ?? "";
          files[file] = before.slice(0, range.start) + text + before.slice(range.end);
        }
        expect(composeWritten({ ...one, files }).text).toBe(live);
      }),
      { numRuns: isLong ? 100_000 : 2000 },
    );
    expect(placed).toBeGreaterThan(500);
  });

  it("places nearly every edit that lies in one stretch of a file", () => {
    let [all, placed] = [0, 0];
    const place = fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 30 }), fc.constantFrom(...words));
    fc.assert(
      fc.property(prompts, place, (one, [which, at, length, put]) => {
        const composition = composeWritten(one);
        const { text, stretches } = composition;
        const own = stretches.filter(({ is, text: part }) => is === "text" && part.length > 1);
        const stretch = own[which % own.length];
        // The indentation of a new line would belong to the file that names the partial.
        const isIndented = stretch?.range.source.file === "steps";
        if (!stretch || (isIndented && put.includes("\n"))) return;
        const from = stretches
          .slice(0, stretches.indexOf(stretch))
          .reduce((sum, { text: part }) => sum + part.length, 0);
        const start = at % stretch.text.length;
        // A tag alone on its line needs the line end before it.
        const last = stretch.text.endsWith("\n") ? stretch.text.length - 1 : stretch.text.length;
        const end = Math.max(start, Math.min(start + length, last));
        all += 1;
        const live = text.slice(0, from + start) + put + text.slice(from + end);
        if ("edits" in putBack(composition, live)) placed += 1;
      }),
      { numRuns: isLong ? 20_000 : 1000 },
    );
    expect(placed / all).toBeGreaterThan(0.95);
  });
});
