import { describe, expect, test } from "vitest";
import { openLog } from "../../src/server/log.js";

const levels = ["trace", "debug", "info", "warn", "error"] as const;

function logged(environment: Record<string, string> = {}) {
  const lines: string[] = [];
  return { lines, log: openLog({ env: environment, stderr: { write: (line) => lines.push(line) } }) };
}

test("a line is one the core takes into its own log: JSON, with six digits after the second", () => {
  const { lines, log } = logged({ TF_LOG: "DEBUG" });
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

describe("what is logged", () => {
  test.each([
    [{}, ["warn", "error"]],
    [{ TF_LOG: "TRACE" }, levels],
    [{ TF_LOG: "json" }, levels],
    [{ TF_LOG: "what?" }, levels],
    [{ TF_LOG: "info" }, ["info", "warn", "error"]],
    [{ TF_LOG: "ERROR" }, ["error"]],
    [{ TF_LOG: "OFF" }, []],
    [{ TF_LOG: "TRACE", TF_LOG_PROVIDER: "ERROR" }, ["error"]],
    [{ TF_LOG_PROVIDER: "DEBUG" }, ["debug", "info", "warn", "error"]],
  ] as const)("with %j is %j", (environment, expected) => {
    const { lines, log } = logged(environment);
    for (const level of levels) log(level, "Something happened");
    expect(lines.map((line) => JSON.parse(line)["@level"])).toEqual(expected);
  });
});
