import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { areValuesEqual, findKind, type Spec } from "../../src/core/kinds/index.js";
import {
  declareObjects,
  loadManifest,
  type Manifest,
  renderMainFile,
  undoDeclarations,
  writeDeclarations,
} from "../../src/core/manifest/index.js";
import { createOpenDefinitions } from "../../src/operations/index.js";
import { scaleRuns } from "../real/long.js";
import { anyText } from "./any-text.js";
import { createProjectFolder } from "./project.js";

const definitions = createOpenDefinitions({ loadLibrary: () => import("../../src/index.js") });

const context = (() => {
  const kind = findKind("context");
  if (!kind) throw new Error("there are contexts");
  return kind;
})();

async function loadValidManifest(cwd: string): Promise<Manifest> {
  const { manifest, diagnostics } = await loadManifest({ allowCode: true, cwd, definitions });
  if (!manifest) throw new Error(JSON.stringify(diagnostics, null, 1));
  return manifest;
}

const spec: fc.Arbitrary<Spec> = fc.record({
  name: anyText.filter((name) => name !== ""),
  prompt: anyText,
  opening_text: anyText,
  links: fc.array(fc.record({ url: fc.constant("https://a.example/"), faq: anyText }), { maxLength: 2 }),
});

const first = "name: First\nprompt: x\n";

const other = { kind: context, key: "b", spec: { name: "B", prompt: "x" } };

describe("declaring a random object", () => {
  test.each<[layout: string, files: Record<string, string>]>([
    ["Markdown files", { "avatarops.yaml": "include: ['c/*.md']\n", "c/first.md": `---\n${first}---\n` }],
    ["YAML", { "avatarops.yaml": `contexts:\n  first: # c\n    ${first.replace("\n", "\n    ")}  # end\n` }],
    [
      "YAML that ends with a text with empty lines",
      { "avatarops.yaml": "contexts:\n  first:\n    name: F\n    prompt: |+\n      x\n\n\n" },
    ],
    ["YAML in braces", { "avatarops.yaml": "contexts: { first: { name: F, prompt: x, }, }\nstate: s\n" }],
    [
      "YAML with deep indentation and Windows line ends",
      { "avatarops.yaml": "contexts:\r\n        first:\r\n           name: F\r\n           prompt: x" },
    ],
    [
      "YAML with texts in files",
      { "avatarops.yaml": "contexts:\n  first: { name: F, prompt: !file p/first.md }\n", "p/first.md": "x" },
    ],
    ["YAML with an empty key", { "avatarops.yaml": "contexts: # none yet\nstate: s\n" }],
    ["YAML with an empty mapping", { "avatarops.yaml": "contexts: {} # none\n" }],
    ["an empty project", { "avatarops.yaml": "{}\n" }],
    [
      "a project with included YAML",
      { "avatarops.yaml": "include: [c.yaml]\n", "c.yaml": "contexts: { first: { name: F, prompt: x } }\n" },
    ],
    ["a new project", { "avatarops.yaml": renderMainFile({ baseUrl: "https://api.example.com" }, "a.json") }],
    ["YAML without contexts", { "avatarops.yaml": "\uFEFF# Ours\nstate: s # here\n\n# end\n" }],
  ])("preserves the object's values in %s", async (_layout, files) => {
    const root = createProjectFolder(files);
    const manifest = await loadValidManifest(root);
    const before = (await loadValidManifest(root)).declarations.map((one) => [one.address, one.spec]);
    await fc.assert(
      fc.asyncProperty(spec, spec, async (one, two) => {
        // A duplicate name is only a warning. The keys distinguish the two objects.
        const objects = Object.entries({ null: one, "2024": two }).map(([key, own]) => ({
          kind: context,
          key,
          spec: own,
        }));
        const declarations = declareObjects(manifest, objects);
        expect(declarations.refused).toEqual([]);
        await writeDeclarations(root, declarations);
        const now = new Map(
          (await loadValidManifest(root)).declarations.map((declared) => [declared.address, declared.spec]),
        );
        for (const { key, spec: own } of objects) {
          for (const [name, field] of Object.entries(context.fields))
            expect(areValuesEqual(field, now.get(`context.${key}`)?.[name], own[name]), name).toBe(true);
        }
        for (const [address, own] of before) expect(now.get(String(address))).toEqual(own);
        await undoDeclarations(root, declarations);
        for (const [file, content] of Object.entries(files))
          expect(readFileSync(path.join(root, file), "utf8")).toBe(content);
        for (const { file } of declarations.added) expect(existsSync(path.join(root, file))).toBe(false);
      }),
      { numRuns: scaleRuns(40) },
    );
  });
});

test("does not edit a YAML mapping that an alias refers to", async () => {
  const yaml = "x-c: &c { a: { name: A, prompt: x } }\ncontexts: *c\n";
  const root = createProjectFolder({ "avatarops.yaml": yaml });
  const { refused, edited } = declareObjects(await loadValidManifest(root), [other]);
  expect(refused).toMatchObject([{ reason: expect.stringContaining("an alias or a merge key shares it") }]);
  expect(edited).toEqual([]);
});

test("does not edit a JSON file to declare an object", async () => {
  const json = '{ "contexts": { "a": { "name": "A", "prompt": "x" } } }';
  const included = createProjectFolder({ "avatarops.yaml": "include: [c.json]\n", "c.json": json });
  const { edited } = declareObjects(await loadValidManifest(included), [other]);
  expect(edited.map(({ file }) => file)).toEqual(["avatarops.yaml"]);
  const { manifest } = await loadManifest({
    allowCode: true,
    cwd: createProjectFolder({ "main.json": json }),
    file: "main.json",
  });
  if (!manifest) throw new Error("the project is not valid");
  expect(declareObjects(manifest, [other])).toMatchObject({
    edited: [],
    added: [],
    refused: [{ reason: expect.stringContaining("does not edit JSON") }],
  });
});
