import { expect, test } from "vitest";
import { repeats } from "../../src/core/api/confidential.js";

const values = [
  "sk-live-0123456789abcdefghij",
  '{"type":"account","url":"https://a.b/c?d=e"}',
  "schlüssel-ä",
];

test.each<[string, (value: string) => string]>([
  ["plain", (value) => value],
  ["in JSON", (value) => JSON.stringify({ value })],
  ["in a URL", (value) => `?value=${encodeURIComponent(value)}&x=1`],
  ["in base64", (value) => Buffer.from(value).toString("base64")],
  ["in base64url", (value) => Buffer.from(value).toString("base64url")],
])("a value is recognised %s", (_, encode) => {
  for (const value of values) expect(repeats(`it said ${encode(value)}.`, value), value).toBe(true);
});

test("nothing is recognised in other words, nor is what may stand anywhere by chance", () => {
  for (const value of [...values, "", "it", "\ud800 half a character"])
    expect(repeats("it said nothing of the kind", value), value).toBe(false);
});
