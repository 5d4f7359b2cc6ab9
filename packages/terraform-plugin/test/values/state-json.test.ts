import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromJson, parseJson } from "../../src/values/state-json.js";
import type { Type } from "../../src/values/type.js";
import { Decimal, Dynamic, type Value } from "../../src/values/value.js";
import { ValueError } from "../../src/values/value-error.js";
import { recordOf } from "./arbitrary.js";

describe("the JSON of a state", () => {
  it("keeps every digit of every number, and every text as it is", () => {
    const text = String.raw`{"a": [9007199254740993, -1.5e3, 0.1, 0.12345678901234567890, 0], "5": "6 \"7\" \\", "b": {"__proto__": 12345678901234567890}, "c\u0031": true, "n": null}`;
    expect(parseJson(text)).toStrictEqual(
      recordOf({
        a: [9007199254740993n, -1500, 0.1, new Decimal("0.12345678901234567890"), 0],
        "5": '6 "7" \\',
        b: recordOf(Object.fromEntries([["__proto__", 12345678901234567890n]])),
        c1: true,
        n: null,
      }),
    );
  });

  it("is read as the platform reads it, where that loses nothing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.stringify(parseJson(text), (_, part) => plain(part), indent)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    "",
    "{",
    "01",
    "1.2.3",
    "--1",
    "1 2",
    "[1,]",
    "-",
    ".5",
    "1e",
    "+1",
    "0x1",
    "\\1",
    "'a'",
    '"a',
    "NaN",
  ])("is refused when it is not JSON: %j", (text) => {
    expect(() => parseJson(text)).toThrow(new ValueError("the text is not JSON"));
  });

  it("is refused when a number is beyond all bounds", () => {
    expect(() => parseJson("[1e9999999999]")).toThrow(
      new ValueError("a number is larger or smaller than any"),
    );
  });

  it("is not quoted in the message when it is not JSON", () => {
    expect(() => parseJson('{"api_key": "hush-hush" oops')).toThrow(/^the text is not JSON$/);
  });

  it("may be large, and is bounded in depth", () => {
    const prompt = 'a 1 \\ " \n'.repeat(500_000);
    expect(parseJson(JSON.stringify({ prompt }))).toEqual({ prompt });
    expect(() => parseJson("[".repeat(1_000_000) + "]".repeat(1_000_000))).toThrow(
      "the text is nested too deeply",
    );
  });
});

describe("a value from the JSON of a state", () => {
  const type: Type = [
    "object",
    {
      name: "string",
      count: "number",
      links: ["list", ["object", { url: "string", faq: "string" }]],
      labels: ["map", "bool"],
      pair: ["tuple", ["string", "number"]],
      any: "dynamic",
    },
  ];

  it("has the attributes of the type: others are dropped, and missing ones are null", () => {
    const json = parseJson(
      '{"count": 9007199254740993, "gone": {"a": 1}, "links": [{"url": "u", "id": 7}], "labels": {"__proto__": true},' +
        '"pair": ["a", 1], "any": {"type": ["list", "number"], "value": [1, 0.10]}}',
    );
    expect(fromJson(json, type)).toStrictEqual(
      recordOf({
        name: null,
        count: 9007199254740993n,
        links: [recordOf({ url: "u", faq: null })],
        labels: parseJson('{"__proto__": true}'),
        pair: ["a", 1],
        any: new Dynamic(["list", "number"], [1, 0.1]),
      }),
    );
    expect(fromJson(null, type)).toBe(null);
  });

  it.each<[name: string, json: string, message: string]>([
    ["a number for a text", '{"name": 1}', "name: a string is required, but this is a number"],
    ["a text for a number", '{"count": "1"}', "count: a number is required, but this is a string"],
    ["a text for a list", '{"links": "u"}', "links: a list is required, but this is a string"],
    ["a text for an object", '{"links": [{}, "u"]}', "links[1]: an object is required, but this is a string"],
    [
      "a text for a boolean",
      '{"labels": {"a b": "true"}}',
      'labels["a b"]: a bool is required, but this is a string',
    ],
    ["a tuple too long", '{"pair": ["a", 1, 2]}', "pair: 2 elements are required, but there are 3"],
    [
      "a dynamic value without its type",
      '{"any": {"value": 1}}',
      "any: the type of a value is not spelled as the protocol spells types",
    ],
    [
      "a dynamic type",
      '{"any": {"type": "dynamic"}}',
      "any: the type of a dynamic value cannot be dynamic itself",
    ],
    ["a list for the whole", "[]", "an object is required, but this is a list"],
  ])("is refused: %s", (_, json, message) => {
    expect(() => fromJson(parseJson(json), type)).toThrow(message);
  });
});

/** Numbers as JSON.stringify knows them. */
function plain(part: Value): unknown {
  return typeof part === "bigint" ? Number(part) : part instanceof Decimal ? Number(part.text) : part;
}
