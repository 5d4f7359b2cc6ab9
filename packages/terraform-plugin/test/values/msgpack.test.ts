import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeValue, encodeValue } from "../../src/values/msgpack.js";
import type { Type } from "../../src/values/type.js";
import { Decimal, Dynamic, Unknown, type Value } from "../../src/values/value.js";
import { ValueError } from "../../src/values/value-error.js";
import { anyType, recordOf, valueOfType } from "./arbitrary.js";

const typed: fc.Arbitrary<{ type: Type; value: Value }> = anyType.chain((type) =>
  valueOfType(type).map((value) => ({ type, value })),
);

/** Bytes as hexadecimal, with text between quotes: `a3 "abc"`. */
function bytesOf(written: string): Uint8Array {
  const parts = written.match(/"[^"]*"|[0-9a-f]{2}/g) ?? [];
  return Buffer.concat(
    parts.map((part) => (part.startsWith('"') ? Buffer.from(part.slice(1, -1)) : Buffer.from(part, "hex"))),
  );
}

const object: Type = ["object", { url: "string", faq: "string" }];

describe("what the core sends", () => {
  it.each<[name: string, bytes: string, type: Type, value: Value]>([
    ["null", "c0", "string", null],
    ["an unknown", "d4 00 00", "string", Unknown],
    ["an unknown of which the beginning is known", 'c7 09 0c 82 01 c2 02 a4 "ctx-"', "string", Unknown],
    ["an unknown of which bounds are known", "c7 07 0c 82 01 c2 03 92 00 c3", "number", Unknown],
    ["an extension nobody has heard of", "c7 01 63 00", "bool", Unknown],
    ["an extension of 16 bytes", `d8 05 ${"00 ".repeat(16)}`, "bool", Unknown],
    ["an unknown object", "d4 00 00", object, Unknown],
    ["a text", 'a3 "abc"', "string", "abc"],
    ["a text with a byte order mark", "a4 ef bb bf 61", "string", "\ufeffa"],
    ["true", "c3", "bool", true],
    ["a small integer", "2a", "number", 42],
    ["a negative one", "ff", "number", -1],
    ["one of 16 bits", "cd 01 00", "number", 256],
    ["one of 64 bits", "d3 7f ff ff ff ff ff ff ff", "number", 9223372036854775807n],
    ["one of 64 bits without a sign", "cf ff ff ff ff ff ff ff ff", "number", 18446744073709551615n],
    ["a whole double", "cb 43 f0 00 00 00 00 00 00", "number", 18446744073709551616n],
    ["a double", "cb 3f e0 00 00 00 00 00 00", "number", 0.5],
    ["a single", "ca 3f 00 00 00", "number", 0.5],
    ["minus zero", "cb 80 00 00 00 00 00 00 00", "number", 0],
    ["a tenth", 'a3 "0.1"', "number", 0.1],
    [
      "a decimal no double gives back",
      'b4 "0.123456789012345678"',
      "number",
      new Decimal("0.123456789012345678"),
    ],
    ["an integer beyond 64 bits", 'b4 "18446744073709551615"', "number", 18446744073709551615n],
    ["a list", '92 a1 "a" c0', ["list", "string"], ["a", null]],
    ["a set", "92 01 02", ["set", "number"], [1, 2]],
    ["a map", '81 a9 "__proto__" 01', ["map", "number"], recordOf(Object.fromEntries([["__proto__", 1]]))],
    ["a tuple", "92 01 c3", ["tuple", ["number", "bool"]], [1, true]],
    ["an object", '82 a3 "url" a1 "u" a3 "faq" c0', object, recordOf({ url: "u", faq: null })],
    ["a typed value", '92 c4 08 22 "string" 22 a1 "a"', "dynamic", new Dynamic("string", "a")],
    [
      "an unknown of known type",
      '92 c4 08 22 "string" 22 d4 00 00',
      "dynamic",
      new Dynamic("string", Unknown),
    ],
    ["a null of known type", '92 c4 08 22 "string" 22 c0', "dynamic", new Dynamic("string", null)],
    ["an unknown of unknown type", "d4 00 00", "dynamic", Unknown],
    ["a null of no type", "c0", "dynamic", null],
  ])("%s is read", (_, bytes, type, value) => {
    expect(decodeValue(bytesOf(bytes), type)).toStrictEqual(value);
  });
});

describe("what is sent to the core", () => {
  it.each<[name: string, value: Value, type: Type, bytes: string]>([
    ["an unknown", Unknown, "string", "d4 00 00"],
    ["an integer", 7, "number", "07"],
    ["a double that is an integer", 3e3, "number", "d3 00 00 00 00 00 00 0b b8"],
    ["minus zero", -0, "number", "00"],
    ["an integer of 64 bits", -9223372036854775808n, "number", "d3 80 00 00 00 00 00 00 00"],
    ["an integer beyond them", 9223372036854775808n, "number", 'b3 "9223372036854775808"'],
    ["a tenth, as a tenth", 0.1, "number", 'a3 "0.1"'],
    ["a small double", 1e-7, "number", 'a4 "1e-7"'],
    ["a Decimal", new Decimal("1e100"), "number", 'a5 "1e100"'],
    ["a lone surrogate", "a\ud800b", "string", "a5 61 ef bf bd 62"],
    ["a typed value", new Dynamic("bool", false), "dynamic", '92 c4 06 22 "bool" 22 c2'],
    ["an object", { faq: null, url: "u" }, object, '82 a3 "faq" c0 a3 "url" a1 "u"'],
  ])("%s is written", (_, value, type, bytes) => {
    expect(Buffer.from(encodeValue(value, type)).toString("hex")).toBe(
      Buffer.from(bytesOf(bytes)).toString("hex"),
    );
  });

  it("keeps texts of every length class, up to 5 MB", () => {
    for (const length of [0, 31, 32, 255, 256, 65_535, 65_536, 5_000_000]) {
      const text = "é".repeat(length / 2) + "x".repeat(length % 2);
      expect(decodeValue(encodeValue(text, "string"), "string")).toBe(text);
    }
  });

  it("keeps lists and maps of every length class", () => {
    for (const length of [0, 15, 16, 65_535, 65_536]) {
      const list = Array.from({ length }, (_, at) => at);
      expect(decodeValue(encodeValue(list, ["list", "number"]), ["list", "number"])).toEqual(list);
      const map = recordOf(Object.fromEntries(list.map((at) => [`k${at}`, true])));
      expect(decodeValue(encodeValue(map, ["map", "bool"]), ["map", "bool"])).toEqual(map);
    }
  });

  it("keeps a type with a long text", () => {
    const type: Type = [
      "object",
      Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`a${at}`, "bool"])),
    ];
    const record = recordOf(Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`a${at}`, true])));
    const decoded = decodeValue(encodeValue(new Dynamic(type, record), "dynamic"), "dynamic");
    expect(decoded).toEqual(new Dynamic(type, record));
  });
});

describe("what is no value of its type", () => {
  it.each<[name: string, value: unknown, type: Type, message: string]>([
    ["a missing attribute", { url: "u" }, object, 'the attribute "faq" is missing'],
    ["an undefined one", { url: "u", faq: undefined }, object, 'the attribute "faq" is missing'],
    ["an attribute too many", { url: "u", faq: "f", id: 1 }, object, "id: there is no such attribute"],
    [
      "an inherited attribute",
      Object.create({ url: "u", faq: "f" }),
      object,
      'the attribute "url" is missing',
    ],
    [
      "a missing attribute further in",
      [{ url: "u" }],
      ["list", object],
      '[0]: the attribute "faq" is missing',
    ],
    [
      "a number for a text, deep down",
      { links: [{ urls: { "a b": 1 } }] },
      ["object", { links: ["list", ["object", { urls: ["map", "string"] }]] }],
      'links[0].urls["a b"]: a string is required, but this is a number',
    ],
    ["a text for a number", "1", "number", "a number is required, but this is a string"],
    ["nothing for a text", undefined, "string", "a string is required, but this is missing"],
    ["a hole in a list", [undefined], ["list", "string"], "[0]: a string is required, but this is missing"],
    ["an object for a list", {}, ["list", "string"], "a list is required, but this is an object"],
    ["a list for a map", [], ["map", "string"], "an object is required, but this is a list"],
    ["a plain value for a dynamic one", "a", "dynamic", "a dynamic value is required, but this is a string"],
    ["a tuple too long", [1, 2], ["tuple", ["number"]], "1 elements are required, but there are 2"],
    ["NaN", Number.NaN, "number", "this is no finite number"],
    ["infinity", Number.POSITIVE_INFINITY, "number", "this is no finite number"],
    ["a Decimal that is none", new Decimal("0x10"), "number", "this is no finite number"],
    [
      "an integer a double has rounded",
      2 ** 53,
      "number",
      "an integer beyond 2^53 has been rounded: give it as a bigint",
    ],
    [
      "a dynamic value of dynamic type",
      new Dynamic("dynamic", null),
      "dynamic",
      "the type of a dynamic value cannot be dynamic itself",
    ],
  ])("%s is not written", (_, value, type, message) => {
    expect(refusalOf(() => encodeValue(value as Value, type))).toBe(message);
  });

  it.each<[name: string, bytes: string, type: Type, message: string]>([
    ["nothing at all", "", "string", "the bytes of a value end too early"],
    ["a text cut short", 'a4 "abc"', "string", "the bytes of a value end too early"],
    [
      "a list said to be longer than the bytes",
      "dd ff ff ff ff",
      ["list", "string"],
      "the bytes of a value end too early",
    ],
    ["bytes behind the value", "c0 c0", "string", "more bytes follow the value"],
    ["the byte that stands for nothing", "c1", "string", "the bytes are no value"],
    ["a text that is not UTF-8", "a1 ff", "string", "a string is not UTF-8"],
    ["a text that is no number", 'a4 "0x10"', "number", "a finite number is required, but this is a string"],
    [
      "infinity",
      "cb 7f f0 00 00 00 00 00 00",
      "number",
      "a finite number is required, but this is a number of another sort",
    ],
    ["a missing attribute", '81 a3 "url" c0', object, 'the attribute "faq" is missing'],
    ["an attribute too many", '91 81 a2 "id" c0', ["list", object], "[0].id: there is no such attribute"],
    ["a key twice", '82 a1 "a" c0 a1 "a" c0', ["map", "string"], "a key is there twice"],
    ["a key that is no text", "81 01 c0", ["map", "string"], "a string is required, but this is a number"],
    [
      "a tuple too short",
      "91 01",
      ["tuple", ["number", "number"]],
      "2 elements are required, but there are 1",
    ],
    [
      "a type that is none",
      '92 c4 05 22 "text" 22',
      "dynamic",
      "the type of a value is not spelled as the protocol spells types",
    ],
    [
      "a type that is no JSON",
      "92 c4 01 7b c0",
      "dynamic",
      "the type of a value is not spelled as the protocol spells types",
    ],
    [
      "a dynamic type",
      '92 c4 09 22 "dynamic" 22 c0',
      "dynamic",
      "the type of a dynamic value cannot be dynamic itself",
    ],
  ])("%s is not read", (_, bytes, type, message) => {
    expect(refusalOf(() => decodeValue(bytesOf(bytes), type))).toBe(message);
  });

  it("bounds how deep a type sent by the core may be", () => {
    for (const depth of [300, 100_000]) {
      const json = Buffer.from(`${'["list",'.repeat(depth)}"string"${"]".repeat(depth)}`);
      const head = Buffer.from([0x92, 0xc6, 0, 0, 0, 0]);
      head.writeUInt32BE(json.length, 2);
      const bytes = Buffer.concat([head, json, Buffer.from([0xc0])]);
      expect(refusalOf(() => decodeValue(bytes, "dynamic"))).toBe("a type is nested too deeply");
    }
  });

  it("bounds how deep dynamic values may be in one another", () => {
    const level = bytesOf('92 c4 13 22 "bool" 22').subarray(0, 2);
    const type = Buffer.from('["list","dynamic"]');
    const one = Buffer.concat([level, Buffer.from([type.length]), type, Buffer.from([0x91])]);
    const bytes = Buffer.concat([...Array.from({ length: 50_000 }, () => one), Buffer.from([0xc0])]);
    expect(() => decodeValue(bytes, "dynamic")).toThrow(/the value is nested too deeply$/);
  });
});

describe("for every type", () => {
  it("what was written reads as it was", () => {
    fc.assert(
      fc.property(typed, ({ type, value }) => {
        // Node's own comparison: the one of the test runner trips over a key "constructor".
        assert.deepStrictEqual(decodeValue(encodeValue(value, type), type), value);
      }),
      { numRuns: 1_000 },
    );
  });

  it("bytes cut short are refused", () => {
    fc.assert(
      fc.property(typed, fc.nat(), ({ type, value }, at) => {
        const bytes = encodeValue(value, type);
        const cut = bytes.subarray(0, at % bytes.length);
        expect(() => decodeValue(cut, type)).toThrow(ValueError);
      }),
      { numRuns: 1_000 },
    );
  });

  it("bytes with bits flipped are a value or a ValueError", () => {
    const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 7 })), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(typed, flips, ({ type, value }, flips) => {
        const bytes = Uint8Array.from(encodeValue(value, type));
        for (const [at, bit] of flips)
          bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << bit);
        expectValueOrError(() => encodeValue(decodeValue(bytes, type), type));
      }),
      { numRuns: 2_000 },
    );
  });

  it("random bytes are a value or a ValueError", () => {
    fc.assert(
      fc.property(anyType, fc.uint8Array({ maxLength: 200 }), (type, bytes) => {
        expectValueOrError(() => encodeValue(decodeValue(bytes, type), type));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The message of the ValueError that is thrown. */
function refusalOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ValueError) return error.message;
    throw error;
  }
  return "nothing was refused";
}

function expectValueOrError(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ValueError);
  }
}
