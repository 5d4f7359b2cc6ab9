import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../fuzz.js";
import { type Composition, placeAllEdits, placeEdits, placeInlined } from "../../src/core/templates/index.js";
import { isLong } from "../real/long.js";
import { applyEdits, composeAll, composeWritten, prompts, written } from "./compositions.js";

/** Words for typical edits in four writing systems. */
const words = ["kind", "freundlich", "вежливо", "丁寧に", "{{", "${x}", "two words", "\n", "- a line\n", ""];
const edit = fc.tuple(fc.nat({ max: 10_000 }), fc.nat({ max: 12 }), fc.constantFrom(...words));

function applyRandomEdits(text: string, edits: readonly (readonly [number, number, string])[]): string {
  return edits.reduce((now, [at, length, put]) => {
    const start = now.length === 0 ? 0 : at % (now.length + 1);
    return now.slice(0, start) + put + now.slice(start + length);
  }, text);
}

/** Position, length and new text of an edit within one contiguous stretch of a file. */
const place = fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 30 }), fc.constantFrom(...words));

/**
 * Applies an edit within one contiguous stretch and indents its lines like their neighbors. Returns
 * undefined if no stretch can be edited.
 */
function editWithin(
  { text, stretches }: Composition,
  [which, at, length, put]: readonly [number, number, number, string],
  isRequested: (stretch: Composition["stretches"][number]) => boolean = () => true,
): string | undefined {
  const own = stretches.filter((one) => one.is === "text" && one.text.length > 1 && isRequested(one));
  const stretch = own[which % own.length];
  if (!stretch) return undefined;
  const from = stretches
    .slice(0, stretches.indexOf(stretch))
    .reduce((sum, { text: part }) => sum + part.length, 0);
  const start = at % stretch.text.length;
  // A standalone tag needs the preceding newline.
  const last = stretch.text.endsWith("\n") ? stretch.text.length - 1 : stretch.text.length;
  const end = Math.max(start, Math.min(start + length, last));
  const lines = put.replaceAll("\n", `\n${stretch.indent}`);
  return text.slice(0, from + start) + lines + text.slice(from + end);
}

describe("merging live edits into files", () => {
  it("changes nothing if nothing was edited", () => {
    fc.assert(
      fc.property(written, (one) => {
        const composition = composeWritten(one);
        expect(placeEdits(composition, composition.text)).toEqual({ edits: [] });
      }),
      { numRuns: isLong ? 20_000 : 100 },
    );
  });

  it("either renders the edited prompt or changes nothing", () => {
    let placed = 0;
    fc.assert(
      fc.property(written, fc.array(edit, { minLength: 1, maxLength: 3 }), (one, edits) => {
        const composition = composeWritten(one);
        const live = applyRandomEdits(composition.text, edits);
        const put = placeEdits(composition, live);
        if ("unplaced" in put) return;
        placed += 1;
        expect(composeWritten(applyEdits(one, put.edits)).text).toBe(live);
      }),
      { numRuns: isLong ? 100_000 : 400 },
    );
    expect(placed).toBeGreaterThan(100);
  });

  it("succeeds for most edits that affect one contiguous range, even in a prompt with an earlier merged edit", () => {
    let [all, placed, both, placedBoth] = [0, 0, 0, 0];
    fc.assert(
      fc.property(prompts, place, place, (one, first, second) => {
        const composition = composeWritten(one);
        const live = editWithin(composition, first);
        if (live === undefined) return;
        all += 1;
        const put = placeEdits(composition, live);
        if (!("edits" in put)) return;
        placed += 1;
        const more = editWithin(composeWritten(applyEdits(one, put.edits)), second);
        if (more === undefined) return;
        both += 1;
        if ("edits" in placeEdits(composition, more)) placedBoth += 1;
      }),
      { numRuns: isLong ? 20_000 : 400 },
    );
    expect(placed / all).toBeGreaterThan(0.95);
    expect(placedBoth / both).toBeGreaterThan(0.9);
  });

  it("changes at most the prompt's own file with --here", () => {
    let [all, placed] = [0, 0];
    fc.assert(
      fc.property(fc.oneof(written, prompts), place, (one, within) => {
        const composition = composeWritten(one);
        const live = editWithin(composition, within, ({ through }) => through.length > 0);
        const put = live === undefined ? { unplaced: [] } : placeEdits(composition, live);
        if (live === undefined || !("edits" in put)) return;
        const isProse = one.files.rules !== undefined;
        if (isProse) all += 1;
        const here = placeInlined(composition, live, put.edits);
        if (!here) return;
        if (isProse) placed += 1;
        const after = applyEdits(one, here);
        expect(composeWritten(after).text).toBe(live);
        expect({ ...after.files, main: "" }).toEqual({ ...one.files, main: "" });
      }),
      { numRuns: isLong ? 100_000 : 400 },
    );
    expect(placed / all).toBeGreaterThan(0.95);
  });

  it("leaves other prompts unchanged and renders each edited prompt to its live text", () => {
    const edited = { here: 0, agreed: 0 };
    const placed = { ...edited };
    let merged = 0;
    const how = fc.constantFrom("here", "agreed");
    fc.assert(
      fc.property(prompts, how, place, fc.option(place, { freq: 3 }), (one, way, ...edits) => {
        const names = ["main", "other"];
        const texts = composeAll(one, names).map((composition, at) => ({
          name: names[at] ?? "",
          composition,
        }));
        const wanted = new Map<string, string>();
        for (const [at, { name, composition }] of texts.entries()) {
          const within = edits[at];
          const live = within ? editWithin(composition, within) : undefined;
          if (live !== undefined) wanted.set(name, live);
        }
        const put = placeAllEdits(wanted, texts, way === "here");
        const after = applyEdits(
          one,
          put.placed.flatMap((text) => text.edits),
        );
        const named = put.placed.flatMap(({ others }) => others.map((other) => other.name));
        for (const { name, composition } of texts) {
          const [finished] = composeAll(after, [name]);
          const isWanted = wanted.has(name) && !put.refused.has(name);
          const expected = isWanted ? wanted.get(name) : composition.text;
          if (!named.includes(name)) expect(finished?.text).toBe(expected);
        }
        edited[way] += wanted.size;
        placed[way] += put.placed.length;
        if (put.placed.length === 2 && named.length === 2) merged += 1;
      }),
      { numRuns: isLong ? 100_000 : 800 },
    );
    expect(placed.here / edited.here).toBeGreaterThan(0.9);
    expect(placed.agreed / edited.agreed).toBeGreaterThan(0.8);
    expect(merged).toBeGreaterThan(20);
  }, 900_000);
});
