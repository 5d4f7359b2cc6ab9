/** Checks the properties that shared code expects of every kind. */
import { describe, expect, it } from "vitest";
import {
  createValidator,
  type Field,
  getEmptyValue,
  isManageable,
  isScalar,
  kinds,
  listReadableFields,
  listWriteOnlyFields,
  profileNames,
  sourcePlaceholder,
  withProfile,
} from "../../src/core/kinds/index.js";
import * as resources from "../../src/emulator/resources.js";

const plainWord = /^[a-z]+(_[a-z]+)*$/;

describe("kinds", () => {
  it("have unique names", () => {
    const names = kinds.map(({ name }) => name);
    const collections = kinds.map(({ collection }) => collection);
    expect(new Set([...names, ...collections]).size).toBe(2 * kinds.length);
    // An address is KIND.NAME, so a name with a dot would be ambiguous.
    expect([...names, ...collections].filter((name) => !plainWord.test(name))).toEqual([]);
  });

  it.each(kinds.map((kind) => [kind.collection, kind] as const))(
    "support exactly the service's operations for %s",
    (collection, { list, read, create, update, remove }) => {
      const offered = Object.values(resources).flatMap(({ endpoints }) =>
        endpoints.map(({ method, path }) => `${method} ${path}`),
      );
      const offers = (method: string, id = "") => offered.includes(`${method} /v1/${collection}${id}`);
      expect({
        ...{ list: list?.exhaustive === true, read: read !== undefined, create: create !== undefined },
        ...{ update: update !== undefined, remove: remove !== undefined },
      }).toEqual({
        ...{ list: offers("GET"), read: offers("GET", "/:id"), create: offers("POST") },
        ...{ update: offers("PATCH", "/:id"), remove: offers("DELETE", "/:id") },
      });
    },
  );

  it("have the field limits in section 8 of docs/service.md", () => {
    const limits = kinds.flatMap(({ name, fields }) =>
      Object.entries(fields).flatMap(([field, { ...one }]) =>
        one.type === "string" && (one.minLength !== undefined || one.maxLength !== undefined)
          ? [`${name}.${field}: ${one.minLength ?? 0} to ${one.maxLength ?? "any"}`]
          : [],
      ),
    );
    const documented = ["avatar", "voice", "context", "secret"];
    expect(limits.filter((limit) => documented.some((name) => limit.startsWith(`${name}.`)))).toEqual([
      "avatar.name: 1 to any",
      "voice.name: 1 to 64",
      "context.name: 1 to any",
      "secret.secret_name: 1 to 255",
      "secret.secret_type: 1 to any",
      "secret.secret_value: 1 to any",
    ]);
  });

  it("mark a list as exhaustive only for the kind named in the list's endpoint", () => {
    // An exhaustive list contains all objects of its kind.
    const exhaustive = kinds.filter(({ list }) => list?.exhaustive);
    expect(exhaustive.map(({ list }) => list?.endpoint)).toEqual(
      exhaustive.map(({ collection }) => collection),
    );
    const read = new Set(kinds.flatMap(({ list }) => (list ? [list.endpoint] : [])));
    expect([...read].sort()).toEqual(exhaustive.map(({ collection }) => collection).sort());
  });
});

/** All kinds. For undocumented kinds, uses the definition from a profile. */
const offered = kinds.map((kind) => (isManageable(kind) ? kind : withProfile(kind, profileNames[0])));

describe.each(offered.map((kind) => [kind.name, kind] as const))("%s", (_name, kind) => {
  const fields = Object.entries(kind.fields);

  it("has a readable string field as its label", () => {
    expect(listReadableFields(kind).map(([name]) => name)).toContain(kind.label);
    expect(kind.fields[kind.label]?.type).toBe("string");
    // A search by an empty name would find nothing.
    expect(kind.fields[kind.label]).not.toHaveProperty("clearable");
    if (kind.identity === "created") expect(kind.fields[kind.label]?.required).toBe(true);
  });

  it("gets its id either from the user or from the service", () => {
    // The service assigns ids to created objects. Objects with ids from the user are not created.
    expect(kind.create !== undefined).toBe(kind.identity === "created");
    // Without an update or a create, apply could not write the declared values.
    expect(kind.update ?? kind.create).toBeDefined();
    // For objects with ids from the user, `id` is declared next to the fields.
    expect(Object.keys(kind.fields)).not.toContain("id");
  });

  it("defines no field with contradictory settings", () => {
    const odd = fields.flatMap(([name, field]) =>
      listContradictions(field).map((what) => `${name}: ${what}`),
    );
    expect(odd).toEqual([]);
  });

  it("neither compares nor stores write-only values", () => {
    const readable = listReadableFields(kind).map(([name]) => name);
    expect(readable.filter((name) => listWriteOnlyFields(kind).includes(name))).toEqual([]);
    expect([...readable, ...listWriteOnlyFields(kind)].sort()).toEqual(Object.keys(kind.fields).sort());
    // Secret values are sent only on create. An update would have to resend them.
    if (listWriteOnlyFields(kind).length > 0) expect(kind).not.toHaveProperty("update");
  });

  it("has a valid example", () => {
    const { key, id, spec } = kind.example;
    const values = { ...(kind.identity === "adopted" ? { id } : {}), ...spec };
    const sources = listWriteOnlyFields(kind).map((name) => [name, sourcePlaceholder]);
    expect(key).toMatch(/^[a-z]\w*$/);
    expect(createValidator(kind)("it", { ...values, ...Object.fromEntries(sources) })).toEqual([]);
  });

  it("has no field named like a computed attribute", () => {
    expect(Object.keys(kind.computed).filter((name) => name in kind.fields)).toEqual([]);
  });

  it("supports reading an object unless its list contains complete objects", () => {
    if (kind.list && !kind.list.whole) expect(kind.read).toBeDefined();
    // A list with incomplete entries must contain all objects.
    if (kind.list?.whole === false) expect(kind.list.exhaustive).toBe(true);
  });
});

/** Returns the contradictions within one field. */
function listContradictions(field: Field): string[] {
  if (field.type === "reference")
    return kinds.some(({ name }) => name === field.kind) ? [] : [`there is no kind ${field.kind}`];
  if (field.type === "list") {
    const isEmpty = field.item.type === "object" && getEmptyValue(field.item) !== undefined;
    return [...listContradictions(field.item), ...(isEmpty ? ["an entry may be empty"] : [])];
  }
  if (field.type === "object") {
    const { parts, serverKeys = [] } = field;
    const all = Object.values(parts);
    const odd: [boolean, string][] = [
      [serverKeys.some((key) => key in parts), "an assigned key is declared, too"],
      [all.some(({ writeOnly }) => writeOnly), "a part holds a secret"],
      [
        all.some((part) => !part.required && getEmptyValue(part) === undefined),
        "a part is neither given nor empty",
      ],
      ["digest" in parts, "it looks like the digest of a value"],
    ];
    return [...odd.flatMap(([isOdd, what]) => (isOdd ? [what] : [])), ...all.flatMap(listContradictions)];
  }
  const odd: [boolean, string][] = isScalar(field)
    ? [[(field.minimum ?? -Infinity) > (field.maximum ?? Infinity), "no number is allowed"]]
    : [
        [(field.minLength ?? 0) > (field.maxLength ?? Number.POSITIVE_INFINITY), "no length is allowed"],
        [
          (field.warnAbove ?? 0) >= (field.maxLength ?? Number.POSITIVE_INFINITY),
          "it never comes to the warning",
        ],
        [field.clearable === true && (field.minLength ?? 0) > 0, "it is cleared with a value it cannot have"],
        [field.writeOnly === true && field.clearable === true, "a value nobody can read is cleared"],
        [field.writeOnly === true && field.prose === true, "a secret is shown word by word"],
        [field.writeOnly === true && field.values !== undefined, "a secret is one of a few known values"],
        [field.valuesFrom !== undefined && field.values === undefined, "values are added to none"],
      ];
  return odd.flatMap(([isOdd, what]) => (isOdd ? [what] : []));
}
