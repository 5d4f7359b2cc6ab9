import { describe, expect, it } from "vitest";
import { Decimal, Dynamic, Unknown, type Value } from "../../src/values/value.js";
import { applyViolations, resultViolations, stateViolations } from "../../src/violations/violations.js";
import { aLink, attributes, lines, object } from "./sample.js";

describe("an applied state that is right", () => {
  it.each<[name: string, planned: Value, state: Value]>([
    ["of nothing is nothing", null, null],
    ["is as planned", object({ name: "a", list: [aLink({})] }), object({ name: "a", list: [aLink({})] })],
    [
      "has whatever was unknown",
      object({ id: Unknown, made: Unknown, list: [aLink({ id: Unknown })], any: Unknown }),
      object({ id: "i", made: null, list: [aLink({ id: "j" })], any: new Dynamic("bool", true) }),
    ],
    ["has numbers in another form", object({ size: 0.5 }), object({ size: new Decimal("0.50") })],
    [
      "has parts of dynamic values that were unknown",
      object({ any: new Dynamic(["object", { a: "dynamic", b: "number" }], { a: Unknown, b: 1 }) }),
      object({ any: new Dynamic(["object", { a: "string", b: "number" }], { a: "x", b: 1 }) }),
    ],
    [
      "has an unknown of known type",
      object({ any: new Dynamic("string", Unknown) }),
      object({ any: new Dynamic("string", "x") }),
    ],
  ])("%s", (_, planned, state) => {
    expect(lines(applyViolations({ attributes, planned, state }))).toEqual([]);
  });
});

describe("an applied state that is wrong", () => {
  const changed = "was known in the plan and must stay as planned";
  it.each<[name: string, planned: Value, state: Value, broken: string[]]>([
    ["is still there", null, object(), [": was deleted and must be null"]],
    ["is not there", object(), null, [": must not be null after the apply"]],
    ["is unknown as a whole", object(), Unknown, [": must not be unknown any more"]],
    [
      "hides an unknown in a dynamic value",
      object({ any: Unknown }),
      object({ any: new Dynamic(["list", "string"], [Unknown]) }),
      ["any[0]: must not be unknown any more"],
    ],
    [
      "has what is write-only",
      object(),
      object({ secret: "s" }),
      ["secret: is write-only and must be null in every answer"],
    ],
    [
      "has other values",
      object({ name: "a", size: null, list: [aLink({})], one: aLink({}) }),
      object({ name: "b", size: 1, list: [aLink({ url: null })], one: null }),
      [`name: ${changed}`, `size: ${changed}`, `one: ${changed}`, `list[0].url: ${changed}`],
    ],
    [
      "has lost an element of a set",
      object({ tags: ["a", "b"] }),
      object({ tags: ["a", "a"] }),
      ["tags: has lost an element that was planned"],
    ],
    [
      "has an unknown tuple longer",
      object({ any: new Dynamic(["tuple", ["string"]], Unknown) }),
      object({ any: new Dynamic(["tuple", ["string", "bool"]], ["a", true]) }),
      ["any: must stay of the type that was planned"],
    ],
    [
      "has an unknown object with more attributes",
      object({ any: new Dynamic(["object", { a: "string" }], Unknown) }),
      object({ any: new Dynamic(["object", { a: "string", b: "bool" }], { a: "a", b: true }) }),
      ["any: must stay of the type that was planned"],
    ],
    [
      "has a dynamic value of another type",
      object({ any: new Dynamic("string", Unknown) }),
      object({ any: new Dynamic("number", 1) }),
      ["any: must stay of the type that was planned"],
    ],
    [
      "has another dynamic value",
      object({ any: new Dynamic(["tuple", ["string", "bool"]], ["a", Unknown]) }),
      object({ any: new Dynamic(["tuple", ["string", "bool"]], ["b", true]) }),
      [`any[0]: ${changed}`],
    ],
  ])("%s", (_, planned, state, broken) => {
    expect(lines(applyViolations({ attributes, planned, state }))).toEqual(broken);
  });
});

describe("what is read", () => {
  it("may be anything of its type that is known, or nothing", () => {
    expect(stateViolations({ attributes, state: null })).toEqual([]);
    expect(stateViolations({ attributes, state: object({ name: "a", list: [aLink({})] }) })).toEqual([]);
  });

  it.each<[name: string, state: Value, broken: string]>([
    ["is unknown", object({ name: Unknown }), "name: must not be unknown any more"],
    ["is write-only", object({ secret: "" }), "secret: is write-only and must be null in every answer"],
    [
      "is of another type",
      object({ name: 1 }),
      "name: must be of its type: a string is required, but this is a number",
    ],
  ])("is wrong where it %s", (_, state, broken) => {
    expect(lines(stateViolations({ attributes, state }))).toEqual([broken]);
  });
});

describe("a result of a data source", () => {
  it("holds the configuration, completed", () => {
    const config = object({ name: "a" });
    expect(resultViolations({ attributes, config, result: object({ name: "a", id: "i" }) })).toEqual([]);
  });

  it.each<[name: string, result: Value, broken: string]>([
    ["there is none", null, ": must not be null"],
    ["it is not known", object({ name: "a", id: Unknown }), "id: must not be unknown any more"],
    ["it lacks the configuration", object(), "name: must be as in the configuration"],
    ["it has another value", object({ name: "b" }), "name: must be as in the configuration"],
  ])("is wrong where %s", (_, result, broken) => {
    const config = object({ name: "a" });
    expect(lines(resultViolations({ attributes, config, result }))).toEqual([broken]);
  });
});
