/** Numbers and flags as fields: no kind has one yet, and the walkthrough of ARCHITECTURE.md adds one that does, at night. */
import { expect, test } from "vitest";
import { matchesStored, toStored } from "../../src/core/engine/stored-form.js";
import { type Kind, type Live, type Spec, sameValue } from "../../src/core/kinds/index.js";
import { createValidator, objectSchema } from "../../src/core/kinds/validator.js";
import { entriesText } from "../../src/core/manifest/tree/yaml-text.js";
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
  },
};
const { speed, size, strict } = kind.fields as Required<Kind["fields"]>;

test("absent equals the default, and 0, false and the absent are three values", () => {
  expect(sameValue(speed as never, undefined, 1)).toBe(true);
  expect(sameValue(speed as never, undefined, 0)).toBe(false);
  expect(sameValue(size as never, undefined, 0)).toBe(false);
  expect(sameValue(strict as never, undefined, false)).toBe(false);
  expect(sameValue(size as never, 0, -0)).toBe(true);
  for (const value of [0, 1.5, false]) {
    const stored = toStored(size as never, value);
    expect([stored, matchesStored(size as never, stored, value)]).toEqual([value, true]);
    expect(matchesStored(size as never, stored, "0")).toBe(false);
  }
});

test("what a field cannot be is refused with its limits", () => {
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
    "lexicon.a.strict must be true or false, not text",
  ]);
  expect(check({ speed: null, size: Number.NaN })).toHaveLength(2);
  expect(objectSchema(kind).shape.speed?.safeParse(1).success).toBe(true);
});

test("an object is written with its values, but for the default", () => {
  const text = (spec: Spec) => entriesText(toFields({ kind, spec: { name: "A", ...spec } }));
  expect(text({ speed: 0, size: -2, strict: false })).toBe("name: A\nspeed: 0\nsize: -2\nstrict: false\n");
  expect(text({ speed: 1 })).toBe("name: A\n");
  const before = "a:\n  speed: '1' # fast\n  strict: true\n";
  const after = (key: string, value: number | boolean) => editYaml(before, { a: { [key]: value } });
  expect(after("speed", 0.5)).toBe("a:\n  speed: 0.5 # fast\n  strict: true\n");
  expect(after("strict", false)).toBe("a:\n  speed: '1' # fast\n  strict: false\n");
});

test("Terraform has them as its own types, null for the default where nothing is set", () => {
  const { speed, size, strict } = toAttributes(kind);
  expect([speed, size, strict]).toMatchObject([{ type: "number" }, { type: "number" }, { type: "bool" }]);
  const live = (spec: Spec): Live => ({ id: "1", label: "A", computed: {}, spec: { name: "A", ...spec } });
  expect(toState(kind, live({ speed: 1, size: 0, strict: false }), { name: "A" })).toMatchObject({
    ...{ speed: null, size: 0, strict: false },
  });
  expect(toState(kind, live({ speed: 1 }), { name: "A", speed: 1 })).toMatchObject({ speed: 1, size: null });
  expect(toSpec(kind, { name: "A", speed: null, size: null, strict: false })).toEqual({
    ...{ name: "A", speed: 1, strict: false },
  });
});
