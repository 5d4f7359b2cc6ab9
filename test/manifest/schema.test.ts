import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { kinds } from "../../src/kinds/index.js";
import { loadManifest, manifestSchema } from "../../src/manifest/index.js";
import { mistakes } from "./diagnostics-table.js";
import { projectWith } from "./project.js";

const ajv = new Ajv({ allErrors: true, strict: false });
formats.default(ajv);
const validate = ajv.compile(manifestSchema());

/** As an editor's validator sees a manifest: tags are not known to it. */
function isValid(text: string): boolean {
  return validate(parse(text, { logLevel: "silent", merge: true, uniqueKeys: false }));
}

describe("the editors' schema", () => {
  test("is the one at the root of the repository", () => {
    const checkedIn = JSON.parse(readFileSync("avatarops.schema.json", "utf8"));
    expect(checkedIn).toEqual(manifestSchema());
  });

  test("accepts the example", () => {
    expect(isValid(readFileSync("examples/yaml/avatarops.yaml", "utf8"))).toBe(true);
  });

  test.each([
    "an unknown field",
    "an unknown key of the file",
    "a value of another type",
    "nothing where text should be",
    "a mapping where text should be",
    "a text where a mapping should be",
    "a list where a mapping should be",
    "a missing field",
    "an empty text",
    "a text that is too long",
    "an id that is none",
    "a logical name that cannot be used",
    "an unknown key of an environment",
    "a mistake in an environment that is not chosen",
    "a number out of bounds",
  ])("refuses %s", (name) => {
    const mistake = mistakes.find((one) => one.name === name);
    expect(isValid(mistake?.files["avatarops.yaml"] ?? "")).toBe(false);
  });

  test("lists the keys the loader knows, and only those", async () => {
    // The loader names all its keys when it meets one it does not know.
    const cwd = projectWith({ "avatarops.yaml": "zzzzzzzzzzzzzzzz: 1\n" });
    const hint = (await loadManifest({ cwd })).diagnostics[0]?.hint;
    const { properties } = manifestSchema() as { properties: Record<string, JsonObject> };
    expect(hint).toBe(`its keys are ${Object.keys(properties).join(", ")}`);
    for (const kind of kinds) {
      const entry = properties[kind.collection]?.additionalProperties as JsonObject | undefined;
      const declared = [...(kind.identity === "given" ? ["id"] : []), ...Object.keys(kind.fields)];
      expect(Object.keys(entry?.properties ?? {})).toEqual(declared);
    }
  });
});

type JsonObject = Record<string, unknown>;

test("the example has nothing wrong with it, in any environment", async () => {
  for (const environment of ["staging", undefined]) {
    const options = { cwd: "examples/yaml", ...(environment ? { environment } : {}) };
    const { manifest, diagnostics } = await loadManifest(options);
    expect(diagnostics).toEqual([]);
    expect(manifest?.declarations.length).toBe(8);
  }
});
