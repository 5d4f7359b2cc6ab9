import fc from "fast-check";
import { expect, test } from "vitest";
import { createNameGenerator, isLogicalName } from "../../src/core/manifest/index.js";

test.each<[label: string, name: string]>([
  ["Müller & Söhne – Support", "muller-sohne-support"],
  ["Accueil été", "accueil-ete"],
  ["STRASSE/Straße", "strasse-straße"],
  ["客服", "客服"],
  ["Служба поддержки №1", "служба-поддержки-no1"],
  ["Йошкар-Ола", "йошкар-ола"],
  ["И\u0306", "й"],
  ["الدعم الفني", "الدعم-الفني"],
  ["पूछताछ केंद्र", "पूछताछ-केंद्र"],
  ["น้ำ", "น้ำ"],
  ["می\u200cخواهم", "میخواهم"],
  ["ＡＢＣ ｶﾞ", "abc-ガ"],
  ["Đặng Thị Hồng", "đang-thi-hong"],
  ["ΟΔΟΣ", "οδος"],
  ["Əliyev İlham", "əliyev-ilham"],
  ["ﬁnance²", "finance2"],
  ["COM¹", "com1-1"],
  ["\u3164\u115f", "unnamed"],
  ["\u0301a\u202ea", "aa"],
  ["🦊", "unnamed"],
  ["a\ud800b", "a-b"],
  ["con", "con-1"],
  ["  ", "unnamed"],
  ["Taken", "taken-2"],
])("maps the label %j to the declaration name %s", (label, name) => {
  expect(createNameGenerator(["TAKEN"])(label)).toBe(name);
});

test("numbers the declaration names of thousands of objects with the same label", () => {
  const nameFor = createNameGenerator();
  const names = Array.from({ length: 16_000 }, () => nameFor("Support"));
  expect([names[0], names[1], names.at(-1)]).toEqual(["support", "support-2", "support-16000"]);
});

test("avoids taken names and Windows device names when naming a declaration", () => {
  const nameFor = createNameGenerator(["a-3"]);
  const labels = ["a", "a-2", "a", "a", "a-2", "con", "con"];
  expect(labels.map(nameFor)).toEqual(["a", "a-2", "a-4", "a-5", "a-2-2", "con-1", "con-2"]);
});

test("never creates two declaration names that a file system treats as equal", () => {
  const nameFor = createNameGenerator(["ГОСТ", "STRASSE", "οδός"]);
  expect(["гост", "Гост", "straße", "ΟΔΌΣ", "Οδόσ"].map(nameFor)).toEqual([
    "гост-2",
    "гост-3",
    "straße-2",
    "οδός-2",
    "οδόσ-3",
  ]);
});

test("creates a valid, short and unique declaration name for any label", () => {
  const label = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc.string({
      unit: fc.constantFrom("़", "ก", "ำ", "é", "é", "İ", "ß", "Ǆ", "\u1160", "가", "-", "."),
      maxLength: 100,
    }),
  );
  fc.assert(
    fc.property(fc.array(label, { maxLength: 8 }), (labels) => {
      const nameFor = createNameGenerator();
      const names = labels.map(nameFor);
      for (const name of names) {
        expect(isLogicalName(name), JSON.stringify(name)).toBe(true);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(164);
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/i);
      }
      const folded = names.map((name) => name.normalize("NFKD").toLowerCase());
      expect(new Set(folded).size).toBe(names.length);
    }),
  );
});
