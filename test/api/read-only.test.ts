import { expect, test } from "vitest";
import { restrictToReads, type Service } from "../../src/core/api/index.js";
import { context, contextBody, createSuccess, startRawService } from "./raw-service.js";

const writes: [string, (service: Service) => Promise<unknown>][] = [
  ["contexts.create", ({ contexts }) => contexts.create(contextBody)],
  ["contexts.update", ({ contexts }) => contexts.update("c-1", contextBody)],
];

test.each(writes)("reports a bug instead of sending %s through a read-only client", async (_name, write) => {
  await using raw = await startRawService([createSuccess(context)]);
  await expect(write(restrictToReads(raw.service))).rejects.toThrow(/^Bug: (POST|PATCH) /);
  expect(raw.heard).toEqual([]);
});

test("counts a read-only client's requests in the statistics of the original client", async () => {
  await using raw = await startRawService([createSuccess(context)]);
  const reader = restrictToReads(restrictToReads(raw.service));
  expect(await reader.contexts.read("c-1")).toEqual(context);
  expect(raw.service.requests.total).toBe(1);
  expect(reader.requests).toBe(raw.service.requests);
  expect(reader.baseUrl).toBe(raw.baseUrl);
});

test("throws if readOnly is called with a copy of a client", async () => {
  await using raw = await startRawService([createSuccess(context)]);
  expect(() => restrictToReads({ ...raw.service })).toThrow("Bug:");
});
