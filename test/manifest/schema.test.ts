import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  isRemovable,
  isSupersededOnChange,
  kinds,
  listWriteOnlyFields,
  toVersionField,
  withEveryField,
} from "../../src/core/kinds/index.js";
import { createManifestSchema, loadManifest } from "../../src/core/manifest/index.js";
import { readMistakes } from "./mistakes.js";
import { createProjectFolder } from "./project.js";

const ajv = new Ajv({ allErrors: true, strict: false });
formats.default(ajv);
const validate = ajv.compile(createManifestSchema());

/** Validates like an editor that does not support our tags. */
function isValid(text: string): boolean {
  return validate(parse(text, { logLevel: "silent", merge: true, uniqueKeys: false }));
}

describe("editor schema", () => {
  test("equals avatarops.schema.json", () => {
    const checkedIn = JSON.parse(readFileSync("avatarops.schema.json", "utf8"));
    expect(checkedIn).toEqual(createManifestSchema());
  });

  test("accepts the example manifest", () => {
    expect(isValid(readFileSync("examples/yaml/avatarops.yaml", "utf8"))).toBe(true);
  });

  test.each([
    "an unknown field",
    "an unknown top-level key",
    "a value of the wrong type",
    "a missing value for a string",
    "a mapping instead of a string",
    "a string instead of a mapping",
    "a list instead of a mapping",
    "a missing field",
    "an empty string",
    "a string that is too long",
    "an invalid id",
    "an invalid declaration name",
    "an unknown key in an environment",
    "a mistake in an environment that is not selected",
    "a number out of range",
  ])("rejects %s", (name) => {
    const mistake = readMistakes("test/manifest/mistakes.txt").find(({ what }) => what === name);
    expect(isValid(mistake?.files["avatarops.yaml"] ?? "")).toBe(false);
  });

  const secret = (fields: string) => `secrets: { llm: { secret_name: x, ${fields} } }\n`;
  const ofType = (type: string) => secret(`secret_type: ${type}, secret_value: !env LLM_API_KEY`);
  const fromSource = (value: string) => secret(`secret_type: LLMPROVIDER_API_KEY, secret_value: ${value}`);

  test.each([
    "!env LLM_API_KEY",
    "!env _key2",
    "!file llm.key",
    "!file keys/production/llm-2026.txt",
    "!file llm-key",
    "!exec [pass, show, llm]",
    "!exec { command: [pass, show, llm], timeout_seconds: 10 }",
  ])("accepts the secret source %s", (source) => {
    expect(isValid(fromSource(source))).toBe(true);
    expect(isValid(`service: { api_key: ${source} }\nfingerprint_key: ${source}\n`)).toBe(true);
  });

  test.each([
    "sk-proj-4f9a8b7c6d5e4f3a2b1c",
    "sk_51HqLyjWDarjtT1zdp7dc",
    "7d1f0c1e-3c52-4b7e-9a61-0d0f5b1c8e21",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
    "!env sk_51HqLyjWDarjtT1zdp7dc",
    "correct horse battery staple",
    "42",
  ])("rejects the literal secret %s", (literal) => {
    expect(isValid(fromSource(literal))).toBe(false);
    expect(isValid(`service: { api_key: ${literal} }\n`)).toBe(false);
    expect(isValid(`fingerprint_key: ${literal}\n`)).toBe(false);
  });

  test("accepts known and new secret types, and rejects invalid ones", () => {
    expect(isValid(ofType("VOICEPROVIDER_API_KEY"))).toBe(true);
    expect(isValid(ofType("LLM_KEY"))).toBe(true);
    expect(isValid(ofType("llm key"))).toBe(false);
  });

  test("suggests documented preset values and accepts other values", () => {
    const { properties } = createManifestSchema() as { properties: Record<string, JsonObject> };
    const preset = properties.sessions?.additionalProperties as { properties: JsonObject };
    expect(preset.properties.mode).toMatchObject({ anyOf: [{ enum: ["FULL", "LITE"] }, { type: "string" }] });
    expect(isValid("sessions: { kiosk: { mode: HOLOGRAM, persona: { language: gsw } } }\n")).toBe(true);
    expect(isValid("sessions: { kiosk: { mode: 1 } }\n")).toBe(false);
  });

  test("lists exactly the keys that the loader accepts", async () => {
    // The loader's error for an unknown key lists all keys.
    const cwd = createProjectFolder({ "avatarops.yaml": "zzzzzzzzzzzzzzzz: 1\n" });
    const hint = (await loadManifest({ allowCode: true, cwd })).diagnostics[0]?.hint;
    const { properties } = createManifestSchema() as { properties: Record<string, JsonObject> };
    expect(hint).toBe(`valid keys are ${Object.keys(properties).join(", ")}`);
    for (const kind of kinds.map(withEveryField)) {
      const entry = properties[kind.collection]?.additionalProperties as JsonObject | undefined;
      const versions = listWriteOnlyFields(kind).map(toVersionField);
      const declared = [
        ...(kind.identity === "adopted" ? ["id"] : []),
        ...Object.keys(kind.fields),
        ...versions,
      ];
      expect(Object.keys(entry?.properties ?? {})).toEqual([
        ...[...declared, "protect", "ignore_changes"],
        ...(isRemovable(kind) ? ["on_removal"] : []),
        ...(isSupersededOnChange(kind) ? ["on_rotation"] : []),
      ]);
    }
  });
});

type JsonObject = Record<string, unknown>;

test("loads every environment in the YAML example without errors", async () => {
  for (const environment of ["staging", undefined]) {
    const options = { cwd: "examples/yaml", allowCode: false, ...(environment ? { environment } : {}) };
    const { manifest, diagnostics } = await loadManifest(options);
    expect(diagnostics).toEqual([]);
    expect(manifest?.declarations.length).toBe(8);
  }
});
