import { describe, expect, test } from "vitest";
import { repeats } from "../../src/api/confidential.js";

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
  };
  test.each(Object.entries(encodings))("%s", (_name, encode) => {
    for (const value of values) expect(repeats([`it said ${encode(value)}.`], [value]), value).toBe(true);
  });

  test("and not in what has nothing of it", () => {
    for (const value of values)
      expect(repeats(["Context with this name already exists"], [value])).toBe(false);
  });

  test("and an empty value is in nothing", () => {
    expect(repeats(["anything"], [""])).toBe(false);
  });
});
