import { expect, test } from "vitest";
import { openLog } from "../../src/server/log.js";

test("a line is one the core takes into its own log: JSON, with six digits after the second", () => {
  const lines: string[] = [];
  const log = openLog({ write: (line) => lines.push(line) });
  log("info", "two\nlines", { requests: 3, url: "https://example.com", "@message": "not this" });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\{.*\}\n$/);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    "@level": "info",
    "@message": "two\nlines",
    "@module": "provider",
    "@timestamp": expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    requests: 3,
    url: "https://example.com",
  });
});
