/** Every kind is sane: shared code relies on this and never asks which kind it has. */
import { describe, expect, it } from "vitest";
import {
  createValidator,
  emptyValue,
  type Field,
  isManageable,
  isScalar,
  kinds,
  listReadableFields,
  profileNames,
  sourcePlaceholder,
  withProfile,
  writeOnlyFields,
} from "../../src/core/kinds/index.js";
import * as resources from "../../src/emulator/resources.js";

const plainWord = /^[a-z]+(_[a-z]+)*$/;

describe("the kinds", () => {
  it("kinds have names of their own", () => {
    const names = kinds.map(({ name }) => name);
    const collections = kinds.map(({ collection }) => collection);
    expect(new Set([...names, ...collections]).size).toBe(2 * kinds.length);
    // An address is KIND.NAME, so that a name with a dot could not be told from the rest.
    expect([...names, ...collections].filter((name) => !plainWord.test(name))).toEqual([]);
  });

  it.each(kinds.map((kind) => [kind.collection, kind] as const))(
    "can do what the service offers for %s, and no more",
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

  it("fields keep to the limits of the document (§8)", () => {
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

  it("kinds that share a list read it in the same way", () => {
    // A list is named after the kind all of whose objects are in it.
    const exhaustive = kinds.filter(({ list }) => list?.exhaustive);
    expect(exhaustive.map(({ list }) => list?.endpoint)).toEqual(
      exhaustive.map(({ collection }) => collection),
    );
    const read = new Set(kinds.flatMap(({ list }) => (list ? [list.endpoint] : [])));
    expect([...read].sort()).toEqual(exhaustive.map(({ collection }) => collection).sort());
  });
});

/** The kinds, those that the document does not have as a profile has them. */
const offered = kinds.map((kind) => (isManageable(kind) ? kind : withProfile(kind, profileNames[0])));

describe.each(offered.map((kind) => [kind.name, kind] as const))("%s", (_name, kind) => {
  const fields = Object.entries(kind.fields);

  it("its label is one of its own fields, a string that can be read", () => {
    expect(listReadableFields(kind).map(([name]) => name)).toContain(kind.label);
    expect(kind.fields[kind.label]?.type).toBe("string");
    // "" is no name to find anything by.
    expect(kind.fields[kind.label]).not.toHaveProperty("clearable");
    if (kind.identity === "created") expect(kind.fields[kind.label]?.required).toBe(true);
  });

  it("its id comes from the user or from the service, not from both", () => {
    // Made by us: then the service gives the id. Given by the user: then there is nothing to make.
    expect(kind.create !== undefined).toBe(kind.identity === "created");
    // What is neither updated nor made anew could never be brought to what is declared.
    expect(kind.update ?? kind.create).toBeDefined();
    // `id` is how an object of a given identity is declared, beside its fields.
    expect(Object.keys(kind.fields)).not.toContain("id");
  });

  it("the facts about each field agree", () => {
    const odd = fields.flatMap(([name, field]) => oddIn(field).map((what) => `${name}: ${what}`));
    expect(odd).toEqual([]);
  });

  it("write-only values are neither compared nor kept", () => {
    const readable = listReadableFields(kind).map(([name]) => name);
    expect(readable.filter((name) => writeOnlyFields(kind).includes(name))).toEqual([]);
    expect([...readable, ...writeOnlyFields(kind)].sort()).toEqual(Object.keys(kind.fields).sort());
    // Only the call that makes an object sends one: an update would have to be told the value each time.
    if (writeOnlyFields(kind).length > 0) expect(kind).not.toHaveProperty("update");
  });

  it("its example can be declared", () => {
    const { key, id, spec } = kind.example;
    const values = { ...(kind.identity === "adopted" ? { id } : {}), ...spec };
    const sources = writeOnlyFields(kind).map((name) => [name, sourcePlaceholder]);
    expect(key).toMatch(/^[a-z]\w*$/);
    expect(createValidator(kind)("it", { ...values, ...Object.fromEntries(sources) })).toEqual([]);
  });

  it("computed attributes are not fields", () => {
    expect(Object.keys(kind.computed).filter((name) => name in kind.fields)).toEqual([]);
  });

  it("a kind can be read if its list does not have whole objects", () => {
    if (kind.list && !kind.list.whole) expect(kind.read).toBeDefined();
    // What cannot be read singly is looked at in the list.
    if (kind.list?.whole === false) expect(kind.list.exhaustive).toBe(true);
  });
});

/** What contradicts itself in one field. */
function oddIn(field: Field): string[] {
  if (field.type === "reference")
    return kinds.some(({ name }) => name === field.kind) ? [] : [`there is no kind ${field.kind}`];
  if (field.type === "list") {
    const isEmpty = field.item.type === "object" && emptyValue(field.item) !== undefined;
    return [...oddIn(field.item), ...(isEmpty ? ["an entry may be empty"] : [])];
  }
  if (field.type === "object") {
    const { parts, serverKeys = [] } = field;
    const all = Object.values(parts);
    const odd: [boolean, string][] = [
      [serverKeys.some((key) => key in parts), "an assigned key is declared, too"],
      [all.some(({ writeOnly }) => writeOnly), "a part holds a secret"],
      [
        all.some((part) => !part.required && emptyValue(part) === undefined),
        "a part is neither given nor empty",
      ],
      ["digest" in parts, "it looks like the digest of a value"],
    ];
    return [...odd.flatMap(([isOdd, what]) => (isOdd ? [what] : [])), ...all.flatMap(oddIn)];
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
