import { describe, expect, it } from "vitest";
import { isIdentical } from "../../src/values/equal.js";
import { Unknown, type Value } from "../../src/values/value.js";

describe("isIdentical", () => {
  it.each<[name: string, one: Value, other: Value]>([
    ["zero and minus zero", 0, -0],
    ["text composed and decomposed", "\u00e9", "e\u0301"],
    ["a lone surrogate and its replacement", "\ud800", "\ufffd"],
    ["nested texts", [{ url: "\u00e9" }], [{ url: "e\u0301" }]],
    ["attributes in another order", { a: 1, b: null }, { b: null, a: 1 }],
    ["unknown and unknown", [Unknown], [Unknown]],
  ])("returns true for %s", (_, one, other) => {
    expect(isIdentical(one, other)).toBe(true);
  });

  it.each<[name: string, one: Value, other: Value]>([
    ["null and an empty text", null, ""],
    ["null and unknown", null, Unknown],
    ["unknown and the text", Unknown, "unknown"],
    ["true and its text", true, "true"],
    ["a number and its text", 1, "1"],
    ["lists in another order", [1, 2], [2, 1]],
    ["lists of other lengths", [1], [1, 1]],
    ["an empty list and an empty map", [], {}],
    ["a null in a map and a missing key", { a: null }, {}],
    ["a null under another key", { a: null }, { b: null }],
    ["texts with separators in them", ["a", "b"], ['a","b']],
  ])("returns false for %s", (_, one, other) => {
    expect(isIdentical(one, other)).toBe(false);
  });
});

describe("string comparison", () => {
  it("ignores differences in Unicode normalization", () => {
    expect(isIdentical("Zoe\u0308", "Zo\u00eb")).toBe(true);
    expect(isIdentical("Zoe", "Zo\u00eb")).toBe(false);
  });
});
