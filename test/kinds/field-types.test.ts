/**
 * Tests field types that no kind uses yet. A nightly test adds a kind with these types, as described in
 * ARCHITECTURE.md.
 */
import { Unknown } from "@avatarops/terraform-plugin";
import { expect, test } from "vitest";
import { pickValuesToRecord } from "../../src/core/engine/record-write.js";
import { matchesStored, toStoredValue } from "../../src/core/engine/stored-form.js";
import {
  areValuesEqual,
  getEmptyValue,
  type Kind,
  type RemoteObject,
  type Spec,
} from "../../src/core/kinds/index.js";
import { createObjectSchema, createValidator } from "../../src/core/kinds/validator.js";
import { formatEntries } from "../../src/core/manifest/tree/yaml-text.js";
import { toFields } from "../../src/core/manifest/writing/entry-text.js";
import { editYaml } from "../../src/core/manifest/writing/yaml-edit.js";
import { toAttributes } from "../../src/entrypoints/terraform/schema.js";
import { toSpec, toState } from "../../src/entrypoints/terraform/values.js";

const kind: Kind = {
  ...{
    name: "lexicon",
    title: "Lexicon",
    className: "Lexicon",
    collection: "lexicons",
    description: "Words.",
  },
  ...{ identity: "created", label: "name", computed: {}, afterForget: "It stays." },
  example: { key: "a", id: "1", spec: {} },
  fields: {
    name: { type: "string", required: true, description: "Name." },
    speed: { type: "number", minimum: 0, maximum: 2, default: 1, description: "Speed." },
    size: { type: "number", whole: true, description: "Size." },
    strict: { type: "boolean", description: "Strict." },
    alphabet: { type: "string", values: ["ipa", "x-sampa"], description: "Alphabet." },
    languages: {
      ...{ type: "list", entry: "language", description: "Languages." },
      item: { type: "string", minLength: 2, description: "A language." },
    },
    pauses: {
      ...{ type: "object", description: "Pauses." },
      parts: {
        comma: { type: "number", minimum: 0, default: 0.2, description: "After a comma." },
        long: { type: "boolean", default: false, description: "Long." },
        mark: { type: "string", clearable: true, description: "A mark." },
      },
    },
  },
};
const { speed, size, strict, languages, pauses } = kind.fields as Required<Kind["fields"]>;

test("compares a missing field value as the field's default, not as 0 or false", () => {
  expect(areValuesEqual(speed as never, undefined, 1)).toBe(true);
  expect(areValuesEqual(speed as never, undefined, 0)).toBe(false);
  expect(areValuesEqual(size as never, undefined, 0)).toBe(false);
  expect(areValuesEqual(strict as never, undefined, false)).toBe(false);
  expect(areValuesEqual(size as never, 0, -0)).toBe(true);
  for (const value of [0, 1.5, false]) {
    const stored = toStoredValue(size as never, value);
    expect([stored, matchesStored(size as never, stored, value)]).toEqual([value, true]);
    expect(matchesStored(size as never, stored, "0")).toBe(false);
  }
});

test("records a field's default in the state if the service omits the field", () => {
  const omitted = pickValuesToRecord(kind, ["speed", "languages", "pauses", "size", "strict"], {
    strict: false,
  });
  expect(omitted).toEqual({
    speed: 1,
    languages: [],
    pauses: { comma: 0.2, long: false, mark: "" },
    strict: false,
  });
  for (const [name, value] of Object.entries(omitted)) {
    const field = kind.fields[name] as never;
    expect(matchesStored(field, toStoredValue(field, value), undefined), name).toBe(name !== "strict");
  }
});

test("ignores omitted defaults when comparing objects, and compares lists in order", () => {
  const whole = { comma: 0.2, long: false, mark: "" };
  for (const value of [undefined, {}, { long: false }, whole, { ...whole, id: "assigned" }])
    expect(areValuesEqual(pauses as never, value as never, whole)).toBe(true);
  for (const value of [{ comma: 0 }, { long: true }, { mark: "," }, "", 0, false, []])
    expect(areValuesEqual(pauses as never, value as never, whole)).toBe(false);
  expect(getEmptyValue(pauses as never)).toEqual(whole);
  expect(areValuesEqual(languages as never, undefined, [])).toBe(true);
  expect(areValuesEqual(languages as never, ["en", "de"], ["de", "en"])).toBe(false);
  expect(areValuesEqual(languages as never, ["a\r\nb"], ["a\nb"])).toBe(true);
  const long = Array.from({ length: 200 }, (_, at) => `language ${at}`);
  for (const [field, value] of [
    [pauses, { comma: 1.5 }],
    [languages, long],
    [languages, ["en"]],
  ] as const)
    expect(matchesStored(field as never, toStoredValue(field as never, value), value)).toBe(true);
});

test("rejects an invalid field value, and the error shows the field's limits", () => {
  const check = (values: object) =>
    createValidator(kind)("lexicon.a", { name: "A", ...values }).map(({ message }) => message);
  expect(check({ speed: 0, size: 3, strict: false })).toEqual([]);
  expect(check({ speed: 2.5, size: 1.5, strict: 0 })).toEqual([
    "lexicon.a.speed must be at most 2",
    "lexicon.a.size must be a whole number, not a number",
    "lexicon.a.strict must be true or false, not a number",
  ]);
  expect(check({ size: 2 ** 53, strict: "yes" })).toEqual([
    `lexicon.a.size must be at most ${Number.MAX_SAFE_INTEGER}`,
    "lexicon.a.strict must be true or false, not a string",
  ]);
  expect(check({ speed: null, size: Number.NaN })).toHaveLength(2);
  expect(check({ languages: ["en", 3, ""], pauses: { comma: -1, long: null, coma: 1 } })).toEqual([
    "lexicon.a.languages[1] must be a string, not a number",
    "lexicon.a.languages[2] is empty",
    "lexicon.a.pauses.comma must be at least 0",
    "lexicon.a.pauses.long must be true or false, not nothing",
    'lexicon.a.pauses has no field "coma"',
  ]);
  expect(check({ alphabet: "", languages: "en", pauses: [] })).toEqual([
    'lexicon.a.alphabet does not allow ""',
    "lexicon.a.languages must be a list, not a string",
    "lexicon.a.pauses must be a mapping, not a list",
  ]);
  expect(createObjectSchema(kind).shape.speed?.safeParse(1).success).toBe(true);
});

test("omits default field values when it writes an object as YAML", () => {
  const text = (spec: Spec) => formatEntries(toFields({ kind, spec: { name: "A", ...spec } }));
  expect(text({ speed: 0, size: -2, strict: false })).toBe("name: A\nspeed: 0\nsize: -2\nstrict: false\n");
  expect(text({ speed: 1 })).toBe("name: A\n");
  expect(text({ languages: [], pauses: { comma: 0.2, long: false, mark: "" } })).toBe("name: A\n");
  expect(text({ languages: ["en", "true"], pauses: { comma: 0, long: true, mark: "" } })).toBe(
    'name: A\nlanguages:\n  - en\n  - "true"\npauses:\n  comma: 0\n  long: true\n',
  );
  const before = "a:\n  speed: '1' # fast\n  strict: true\n";
  const after = (key: string, value: number | boolean) => editYaml(before, { a: { [key]: value } });
  expect(after("speed", 0.5)).toBe("a:\n  speed: 0.5 # fast\n  strict: true\n");
  expect(after("strict", false)).toBe("a:\n  speed: '1' # fast\n  strict: false\n");
  const nested = "a:\n  pauses: # short\n    comma: 1 # one\n  languages: [en, de] # two\n";
  expect(editYaml(nested, { a: { pauses: { comma: 2, long: true }, languages: ["true"] } })).toBe(
    'a:\n  pauses: # short\n    comma: 2 # one\n    long: true\n  languages: [ "true" ] # two\n',
  );
});

test("maps fields to Terraform's types, with null for unset defaults", () => {
  const { speed, size, strict, languages, pauses } = toAttributes(kind);
  expect([speed, size, strict]).toMatchObject([{ type: "number" }, { type: "number" }, { type: "bool" }]);
  expect(languages).toMatchObject({ type: ["list", "string"], optional: true });
  const parts = { comma: { type: "number" }, long: { type: "bool", optional: true } };
  expect(pauses).toMatchObject({ nesting: "single", optional: true, attributes: parts });
  const live = (spec: Spec): RemoteObject => ({
    id: "1",
    label: "A",
    computed: {},
    spec: { name: "A", ...spec },
  });
  expect(toState(kind, live({ speed: 1, size: 0, strict: false }), { name: "A" })).toMatchObject({
    ...{ speed: null, size: 0, strict: false },
  });
  expect(toState(kind, live({ speed: 1 }), { name: "A", speed: 1 })).toMatchObject({ speed: 1, size: null });
  const whole = { comma: 0.2, long: false, mark: "" };
  const others = { languages: [], pauses: whole };
  expect(toSpec(kind, { name: "A", speed: null, size: null, strict: false })).toEqual({
    ...{ name: "A", speed: 1, strict: false, ...others },
  });
  const written = { name: "A", languages: ["en", ""], pauses: { comma: 1, long: null, mark: Unknown } };
  expect(toSpec(kind, written as never)).toMatchObject({
    languages: ["en", ""],
    pauses: { comma: 1, long: false },
  });
  expect(toState(kind, live(others), { name: "A" })).toMatchObject({ languages: null, pauses: null });
  expect(toState(kind, live({ ...others, languages: ["en"] }), written as never)).toMatchObject({
    languages: ["en"],
    pauses: { comma: 0.2, long: null, mark: null },
  });
});
