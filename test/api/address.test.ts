import { expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { checkBaseUrl, openService } from "../../src/core/api/index.js";

test.each([
  ["https://api.example.com", "https://api.example.com", false],
  [" https://API.example.com:443// \n", "https://api.example.com", false],
  ["https://api.example.com/v1/", "https://api.example.com", false],
  ["https://example.com/avatar/service/v1", "https://example.com/avatar/service", false],
  ["http://localhost:8080", "http://localhost:8080", false],
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080", false],
  ["http://[::1]:8080", "http://[::1]:8080", false],
  ["http://api.example.com", "http://api.example.com", true],
])("accepts the base URL %j", (text, url, exposesKey) => {
  expect(checkBaseUrl(text)).toEqual({ url, exposesKey });
});

test.each([
  ["", "is empty"],
  ["api.example.com", "is not a URL"],
  ["ftp://example.com", "does not start with https://"],
  ["localhost:8080", "does not start with https://"],
  ["https://user:pass@example.com", "contains a user name or password"],
  ["https://example.com/?key=1", "contains a query or a fragment"],
])("rejects the base URL %j", (text, problem) => {
  expect(checkBaseUrl(text)).toEqual({ problem, hint: expect.any(String) });
  expect(() => openService({ baseUrl: text, apiKey: "k", system: nodeSystem })).toThrow(
    `Bug: an unchecked base URL was used. It ${problem}`,
  );
});
