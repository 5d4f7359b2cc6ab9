import { readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kindNamed } from "../../src/core/kinds/index.js";
import {
  isLogicalName,
  loadManifest,
  logicalNames,
  type ProjectObject,
  projectExists,
  projectTexts,
  writeProject,
} from "../../src/core/manifest/index.js";
import { tries } from "../real/long.js";
import { anyText, withLineFeeds } from "./any-text.js";
import { projectWith } from "./project.js";

const id = "7d1f0c1e-0000-1000-8000-000000000001";

function kind(name: string) {
  const found = kindNamed(name);
  if (!found) throw new Error(`there is no kind ${name}`);
  return found;
}

async function reloaded(folder: string) {
  const { manifest, diagnostics } = await loadManifest({ cwd: folder });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return manifest?.declarations.map(({ address, id: given, spec, sources }) => ({
    address,
    id: given,
    spec,
    sources,
  }));
}

describe("a new project", () => {
  test("declares what it was made from", async () => {
    const folder = projectWith({});
    const source = { from: "exec", command: ["vault", "a, b"], timeoutMs: 1500 } as const;
    const secret = { secret_name: "l", secret_type: "LLMPROVIDER_API_KEY" };
    const first = { name: "Müller & Söhne", prompt: "P\n" };
    const second = { name: "MÜLLER & SÖHNE!", prompt: "\ud800", opening_text: "Hi" };
    const link = { url: "https://a.example", faq: "" };
    const objects: ProjectObject[] = [
      { kind: kind("avatar"), id, spec: { name: "Front: desk" } },
      { kind: kind("context"), spec: { ...first, opening_text: "", links: [{ ...link, id }] } },
      { kind: kind("context"), spec: { ...second, links: [] } },
      { kind: kind("secret"), key: "llm", spec: secret, sources: { secret_value: source } },
    ];
    const texts = projectTexts({ objects, baseUrl: "https://api.example.com" });
    expect(await writeProject(folder, texts)).toEqual(["avatarops.yaml", "contexts/mueller-soehne.md"]);
    expect(await reloaded(folder)).toEqual([
      { address: "avatar.front-desk", id, spec: { name: "Front: desk" }, sources: {} },
      { address: "context.mueller-soehne-2", spec: second, sources: {} },
      { address: "context.mueller-soehne", spec: { ...first, links: [link] }, sources: {} },
      { address: "secret.llm", spec: secret, sources: { secret_value: source } },
    ]);
  });

  test("replaces nothing", async () => {
    const folder = projectWith({ "avatarops.yaml": "mine" });
    await expect(writeProject(folder, projectTexts({ objects: [] }))).rejects.toEqual(
      projectExists(folder, ["avatarops.yaml"]),
    );
    expect(readdirSync(folder)).toEqual(["avatarops.yaml"]);
  });

  test("gives back any text, but for line ends of prompts", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (prompt, opening, name) => {
        fc.pre(name !== "");
        const folder = projectWith({});
        const spec = { name, prompt, ...(opening === "" ? {} : { opening_text: opening }) };
        await writeProject(folder, projectTexts({ objects: [{ kind: kind("context"), key: "a", spec }] }));
        const read = { ...spec, prompt: withLineFeeds(prompt) };
        expect(await reloaded(folder)).toEqual([{ address: "context.a", spec: read, sources: {} }]);
      }),
      { numRuns: tries(60) },
    );
  });
});

test.each<[label: string, name: string]>([
  ["Müller & Söhne – Support", "mueller-soehne-support"],
  ["Accueil été", "accueil-ete"],
  ["STRASSE/Straße", "strasse-strasse"],
  ["客服", "客服"],
  ["Служба поддержки №1", "служба-поддержки-no1"],
  ["Йошкар-Ола", "йошкар-ола"],
  ["И\u0306", "й"],
  ["الدعم الفني", "الدعم-الفني"],
  ["पूछताछ केंद्र", "पूछताछ-केंद्र"],
  ["น้ำ", "น้ำ"],
  ["می\u200cخواهم", "میخواهم"],
  ["ＡＢＣ ｶﾞ", "abc-ガ"],
  ["Đặng Thị Hồng", "dang-thi-hong"],
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
])("%j is called %s", (label, name) => {
  expect(logicalNames(["TAKEN"])(label)).toBe(name);
});

test("thousands of one label get names that count on", () => {
  const nameFor = logicalNames();
  const names = Array.from({ length: 16_000 }, () => nameFor("Support"));
  expect([names[0], names[1], names.at(-1)]).toEqual(["support", "support-2", "support-16000"]);
});

test("numbers go on after names that look numbered, and after device names of Windows", () => {
  const nameFor = logicalNames(["a-3"]);
  const labels = ["a", "a-2", "a", "a", "a-2", "con", "con"];
  expect(labels.map(nameFor)).toEqual(["a", "a-2", "a-4", "a-5", "a-2-2", "con-1", "con-2"]);
});

test("names that some file systems take for one are not given twice", () => {
  const nameFor = logicalNames(["ГОСТ", "STRASSE", "οδός"]);
  expect(["гост", "Гост", "straße", "ΟΔΌΣ", "Οδόσ"].map(nameFor)).toEqual([
    "гост-2",
    "гост-3",
    "strasse-2",
    "οδός-2",
    "οδόσ-3",
  ]);
});

test("whatever people call an object, its name loads, is short enough for a file, and is no other's", () => {
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
      const nameFor = logicalNames();
      const names = labels.map(nameFor);
      for (const name of names) {
        expect(isLogicalName(name), JSON.stringify(name)).toBe(true);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(124);
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/i);
      }
      const folded = names.map((name) => name.normalize("NFKD").toLowerCase());
      expect(new Set(folded).size).toBe(names.length);
    }),
  );
});
