import { describe, expect, test } from "vitest";
import { repeats } from "../../src/core/api/confidential.js";

describe("a value is recognised in what a service repeats", () => {
  const values = [
    "sk-live-0123456789abcdefghij",
    '{"type":"account","url":"https://a.b/c?d=e"}',
    "schlüssel-mit-ümlauten-ä",
  ];
  const encodings: Record<string, (value: string) => string> = {
    raw: (value) => value,
    JSON: (value) => JSON.stringify({ value }),
    "JSON in JSON's place": (value) => JSON.stringify(value),
    URL: (value) => `?value=${encodeURIComponent(value)}&x=1`,
    hex: (value) => Buffer.from(value).toString("hex"),
    "base64, first": (value) => Buffer.from(`${value} and more`).toString("base64"),
    "base64, second": (value) => Buffer.from(`x${value} and more`).toString("base64"),
    "base64, third": (value) => Buffer.from(`xy${value} and more`).toString("base64"),
    "base64url, last": (value) => Buffer.from(`before ${value}`).toString("base64url"),
    "cut at the end": (value) => `${value.slice(0, 10)}…`,
    "cut at the start": (value) => `…${value.slice(-10)}`,
    "cut at both ends": (value) => `…${value.slice(6, 16)}…`,
    "in capitals": (value) => value.toUpperCase(),
    "hex in capitals": (value) => Buffer.from(value).toString("hex").toUpperCase(),
    "URL, twice": (value) => encodeURIComponent(encodeURIComponent(value)),
  };
  test.each(Object.entries(encodings))("%s", (_name, encode) => {
    for (const value of values) expect(repeats([`it said ${encode(value)}.`], [value]), value).toBe(true);
  });

  const key = "sk-live-0123456789abcdefghij";
  const escapedAs = (escaped: (code: number) => string) =>
    Array.from(key.slice(4, 16), (character) => escaped(character.charCodeAt(0))).join("");
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");
  test.each([
    ["URL", escapedAs((code) => `%${hex(code, 2)}`)],
    ["URL, in capitals", escapedAs((code) => `%${hex(code, 2).toUpperCase()}`)],
    ["JSON", escapedAs((code) => `\\u${hex(code, 4)}`)],
    ["JavaScript", escapedAs((code) => `\\x${hex(code, 2)}`)],
    ["HTML", escapedAs((code) => `&#${code};`)],
    ["HTML, in hex", escapedAs((code) => `&#x${hex(code, 2)};`)],
    ["JSON in a URL", escapedAs((code) => `%5Cu${hex(code, 4)}`)],
  ])("and where each character from its middle is escaped as in %s", (_, text) => {
    expect(repeats([`it said ${text}.`], [key])).toBe(true);
  });

  test("of any length, in a text of any length", () => {
    const long = Array.from({ length: 20_000 }, (_, at) => `word${at}`).join("");
    expect(repeats(["x".repeat(100_000) + long.slice(70_000, 70_010)], [long])).toBe(true);
    expect(repeats([`id-${long.slice(-9)}`], [long])).toBe(true);
    expect(repeats(["another text"], [long])).toBe(false);
  });

  test("and not in what has nothing of it", () => {
    for (const value of values)
      expect(repeats(["Context with this name already exists"], [value])).toBe(false);
  });

  test("and an empty value is in nothing", () => {
    expect(repeats(["anything"], [""])).toBe(false);
  });
});
