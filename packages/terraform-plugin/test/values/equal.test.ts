import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sameText, sameValue } from "../../src/values/equal.js";
import { decodeValue, encodeValue } from "../../src/values/msgpack.js";
import type { Type } from "../../src/values/type.js";
import { Decimal, Dynamic, Unknown, type Value } from "../../src/values/value.js";
import { anyType, valueOfType } from "./arbitrary.js";

const link: Type = ["object", { url: "string", tags: ["set", "number"] }];

describe("values that are the same to the core", () => {
  it.each<[name: string, one: Value, other: Value, type: Type]>([
    ["an integer in three forms", 1, 1n, "number"],
    ["an integer and a decimal", 1n, new Decimal("1.0"), "number"],
    ["a double and its text", 0.1, new Decimal("0.10"), "number"],
    ["zero and minus zero", 0, -0, "number"],
    ["zero and minus zero as a decimal", 0, new Decimal("-0.0"), "number"],
    ["text composed and decomposed", "\u00e9", "e\u0301", "string"],
    ["a lone surrogate and what is sent for it", "\ud800", "\ufffd", "string"],
    ["keys composed and decomposed", { "\u00e9": 1 }, { "e\u0301": 1 }, ["map", "number"]],
    ["sets in another order", [1, 2], [2, 1], ["set", "number"]],
    ["sets with an element twice", [1, 1n, 2], [2, 1], ["set", "number"]],
    [
      "sets of objects with sets",
      [
        { url: "a", tags: [1, 2] },
        { url: "b", tags: null },
      ],
      [
        { tags: null, url: "b" },
        { tags: [2, 1], url: "a" },
      ],
      ["set", link],
    ],
    ["unknown and unknown", [Unknown], [Unknown], ["list", "string"]],
    [
      "dynamic sets",
      new Dynamic(["set", "number"], [1, 2]),
      new Dynamic(["set", "number"], [2, 1]),
      "dynamic",
    ],
    [
      "objects of types with their attributes in another order",
      new Dynamic(["object", { a: "bool", b: ["tuple", ["string"]] }], { a: null, b: null }),
      new Dynamic(["object", { b: ["tuple", ["string"]], a: "bool" }], { b: null, a: null }),
      "dynamic",
    ],
  ])("%s", (_, one, other, type) => {
    expect(sameValue(one, other, type)).toBe(true);
  });

  it.each<[name: string, one: Value, other: Value, type: Type]>([
    ["an integer and its neighbour beyond 2^53", 9007199254740993n, 9007199254740992, "number"],
    ["a tenth and the double nearest to it", 0.1, new Decimal("0.10000000000000000555"), "number"],
    ["null and an empty text", null, "", "string"],
    ["null and unknown", null, Unknown, "string"],
    ["unknown and the text", Unknown, "unknown", "string"],
    ["true and its text", true, "true", "dynamic"],
    ["null and its text", null, "null", "string"],
    ["a number and its text", 1, "1", "dynamic"],
    ["lists in another order", [1, 2], [2, 1], ["list", "number"]],
    ["lists of other lengths", [1], [1, 1], ["list", "number"]],
    ["an empty list and an empty map", [], {}, "dynamic"],
    ["a null in a map and no such key", { a: null }, {}, ["map", "string"]],
    ["texts with separators in them", ["a", "b"], ['a","b'], ["list", "string"]],
    ["one value of two types", new Dynamic("string", null), new Dynamic("bool", null), "dynamic"],
    ["a list and a set", new Dynamic(["list", "string"], []), new Dynamic(["set", "string"], []), "dynamic"],
  ])("but not %s", (_, one, other, type) => {
    expect(sameValue(one, other, type)).toBe(false);
  });

  it("are what was written and read again", () => {
    fc.assert(
      fc.property(
        anyType.chain((type) => valueOfType(type).map((value): [Type, Value] => [type, value])),
        ([type, value]) => {
          expect(sameValue(decodeValue(encodeValue(value, type), type), value, type)).toBe(true);
        },
      ),
    );
  });
});

describe("texts", () => {
  it("are the same in every normal form", () => {
    expect(sameText("Zoe\u0308", "Zo\u00eb")).toBe(true);
    expect(sameText("Zoe", "Zo\u00eb")).toBe(false);
  });
});
