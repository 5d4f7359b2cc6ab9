import { expect, test } from "vitest";
import { openLog } from "../../src/server/log.js";

test("writes log lines as JSON with microseconds, as Terraform expects", () => {
  const lines: string[] = [];
  const log = openLog({ write: (line) => lines.push(line) }, { TF_LOG: "JSON" });
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

test.each([
  [{}, []],
  [{ TF_LOG: "off" }, []],
  [{ TF_LOG: "info" }, ["info", "error"]],
  [{ TF_LOG: "trace", TF_LOG_PROVIDER: "ERROR" }, ["error"]],
  [{ TF_LOG_PROVIDER: "other" }, ["debug", "info", "error"]],
])("writes only the log levels selected by the environment variables %j", (environment, expected) => {
  const written: string[] = [];
  const log = openLog({ write: (line) => written.push(JSON.parse(line)["@level"]) }, environment);
  for (const level of ["debug", "info", "error"] as const) log(level, "text");
  expect(written).toEqual(expected);
});
