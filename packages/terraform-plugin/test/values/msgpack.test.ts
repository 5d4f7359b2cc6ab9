import { describe, expect, it } from "vitest";
import { decodeValue, encodeValue } from "../../src/values/msgpack.js";
import { createEmptyRecord } from "../../src/values/shape.js";
import { type Type, Unknown, type Value } from "../../src/values/value.js";
import { ValueError } from "../../src/values/value-error.js";

/** Parses hexadecimal bytes with quoted text, such as `a3 "abc"`. */
function parseBytes(written: string): Uint8Array {
  const parts = written.match(/"[^"]*"|[0-9a-f]{2}/g) ?? [];
  return Buffer.concat(
    parts.map((part) => (part.startsWith('"') ? Buffer.from(part.slice(1, -1)) : Buffer.from(part, "hex"))),
  );
}

const object: Type = ["object", { url: "string", faq: "string" }];

describe("decodeValue", () => {
  it.each<[name: string, bytes: string, type: Type, value: Value]>([
    ["null", "c0", "string", null],
    ["an unknown", "d4 00 00", "string", Unknown],
    ["an unknown with a known prefix", 'c7 09 0c 82 01 c2 02 a4 "ctx-"', "string", Unknown],
    ["an unknown with known bounds", "c7 07 0c 82 01 c2 03 92 00 c3", "number", Unknown],
    ["an unknown extension", "c7 01 63 00", "bool", Unknown],
    ["an extension of 16 bytes", `d8 05 ${"00 ".repeat(16)}`, "bool", Unknown],
    ["an unknown object", "d4 00 00", object, Unknown],
    ["a string", 'a3 "abc"', "string", "abc"],
    ["a string with a byte order mark", "a4 ef bb bf 61", "string", "\ufeffa"],
    ["true", "c3", "bool", true],
    ["a small integer", "2a", "number", 42],
    ["a negative integer", "ff", "number", -1],
    ["an integer of 16 bits", "cd 01 00", "number", 256],
    ["an integer of 64 bits", "d3 00 1f ff ff ff ff ff ff", "number", Number.MAX_SAFE_INTEGER],
    ["a whole double", "cb 40 a7 70 00 00 00 00 00", "number", 3000],
    ["a double", "cb 3f e0 00 00 00 00 00 00", "number", 0.5],
    ["a single", "ca 3f 00 00 00", "number", 0.5],
    ["a tenth", 'a3 "0.1"', "number", 0.1],
    ["a fraction beyond double precision", 'b4 "0.123456789012345678"', "number", 0.12345678901234568],
    ["a list", '92 a1 "a" c0', ["list", "string"], ["a", null]],
    ["a map", '81 a1 "a" 01', ["map", "number"], createRecord({ a: 1 })],
    ["an object", '82 a3 "url" a1 "u" a3 "faq" c0', object, createRecord({ url: "u", faq: null })],
    [
      "an object of an older type",
      '82 a3 "url" a1 "u" a2 "id" 01',
      object,
      createRecord({ url: "u", faq: null }),
    ],
  ])("decodes %s", (_, bytes, type, value) => {
    expect(decodeValue(parseBytes(bytes), type)).toStrictEqual(value);
  });
});

/** Builds a record without a prototype, as `decodeValue` does. */
function createRecord(entries: Readonly<Record<string, Value>>): Value {
  return Object.assign(createEmptyRecord(), entries);
}

describe("encodeValue", () => {
  it("returns bytes that decode to the original value, at any depth and with any attribute name", () => {
    const list: Type = ["list", ["map", "number"]];
    const type: Type = ["object", { links: list, id: "string", own: "bool" }];
    const links: Value[] = [
      null,
      Unknown,
      createRecord({ constructor: -2.5, toString: 2 ** 40, "10": null }),
    ];
    const value = createRecord({ links, id: Unknown, own: false });
    expect(decodeValue(encodeValue(value, type), type)).toStrictEqual(value);
  });

  it.each<[name: string, value: Value, type: Type, bytes: string]>([
    ["an unknown", Unknown, "string", "d4 00 00"],
    ["an integer", 7, "number", "07"],
    ["a double with an integer value", 3e3, "number", "cd 0b b8"],
    ["minus zero", -0, "number", "00"],
    ["a tenth in decimals", 0.1, "number", 'a3 "0.1"'],
    ["a small double", 1e-7, "number", 'a4 "1e-7"'],
    ["a lone surrogate", "a\ud800b", "string", "a5 61 ef bf bd 62"],
    ["an object", { faq: null, url: "u" }, object, '82 a3 "url" a1 "u" a3 "faq" c0'],
  ])("encodes %s", (_, value, type, bytes) => {
    expect(Buffer.from(encodeValue(value, type)).toString("hex")).toBe(
      Buffer.from(parseBytes(bytes)).toString("hex"),
    );
  });
});

describe("malformed values", () => {
  it.each<[name: string, value: unknown, type: Type, message: string]>([
    ["a missing attribute", { url: "u" }, object, 'the attribute "faq" is missing'],
    ["an undefined attribute", { url: "u", faq: undefined }, object, 'the attribute "faq" is missing'],
    ["an extra attribute", { url: "u", faq: "f", id: 1 }, object, "id: the attribute does not exist"],
    [
      "an inherited attribute",
      Object.create({ url: "u", faq: "f" }),
      object,
      'the attribute "url" is missing',
    ],
    ["a nested missing attribute", [{ url: "u" }], ["list", object], '[0]: the attribute "faq" is missing'],
    [
      "a nested number for a string",
      { links: [{ urls: { "a b": 1 } }] },
      ["object", { links: ["list", ["object", { urls: ["map", "string"] }]] }],
      'links[0].urls["a b"]: expected a string, found a number',
    ],
    ["a string for a number", "1", "number", "expected a number, found a string"],
    ["nothing for a string", undefined, "string", "expected a string, found nothing"],
    ["a hole in a list", [undefined], ["list", "string"], "[0]: expected a string, found nothing"],
    ["an object for a list", {}, ["list", "string"], "expected a list, found an object"],
    ["a list for a map", [], ["map", "string"], "expected an object, found a list"],
    ["NaN", Number.NaN, "number", "not a finite number"],
    ["infinity", Number.POSITIVE_INFINITY, "number", "not a finite number"],
    ["a rounded integer", 2 ** 53, "number", "an integer beyond 2^53 may have been rounded"],
  ])("are rejected before encoding: %s", (_, value, type, message) => {
    expect(catchMessage(() => encodeValue(value as Value, type))).toBe(message);
  });

  it.each<[name: string, bytes: string, type: Type, message: string]>([
    ["no bytes", "", "string", "the bytes are not a valid MessagePack value"],
    [
      "a __proto__ key",
      '81 a9 "__proto__" 01',
      ["map", "number"],
      "the bytes are not a valid MessagePack value",
    ],
    ["a string that is not UTF-8", "91 a1 ff", ["list", "string"], "[0]: a string is not UTF-8"],
    ["a string that is not a number", 'a4 "1,10"', "number", "expected a number, found a string"],
    ["an empty string", "a0", "number", "expected a number, found a string"],
    ["infinity", "cb 7f f0 00 00 00 00 00 00", "number", "expected a number, found a number"],
    [
      "an integer that would be rounded",
      "91 d3 00 20 00 00 00 00 00 01",
      ["list", "number"],
      "[0]: an integer above 2^53 would be rounded",
    ],
    ["one in decimals", 'b0 "9007199254740993"', "number", "an integer above 2^53 would be rounded"],
    ["a string for a list", 'a1 "a"', ["list", "string"], "expected a list, found a string"],
    ["a string for an object", '91 a1 "a"', ["list", object], "[0]: expected an object, found a string"],
  ])("are rejected while decoding: %s", (_, bytes, type, message) => {
    expect(catchMessage(() => decodeValue(parseBytes(bytes), type))).toBe(message);
  });
});

/** Returns the message of the ValueError that `run` throws. */
function catchMessage(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ValueError) return error.message;
    throw error;
  }
  return "no ValueError was thrown";
}
