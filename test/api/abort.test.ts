import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import {
  catchFailure,
  context,
  contextBody,
  createSuccess,
  type Reply,
  startRawService,
} from "./raw-service.js";

function createAbortable() {
  const stop = new AbortController();
  return { stop: () => stop.abort(), signal: stop.signal };
}

test("lets a write in progress finish when the client is cancelled, but aborts a read at once", async () => {
  const { stop, signal } = createAbortable();
  const answers: (() => void)[] = [];
  const slow: Reply = (response) =>
    void answers.push(() => response.end(JSON.stringify(createSuccess(context).body)));
  await using raw = await startRawService([slow], { signal });
  const write = raw.service.contexts.create(contextBody);
  const read = catchFailure(raw.service.contexts.read("c-1"));
  await expect.poll(() => answers.length).toBe(2);
  stop();
  expect((await read).code).toBe("cancelled");
  for (const answer of answers) answer();
  expect(await write).toEqual(context);
});

test("sends no queued or new requests after the client is cancelled", async () => {
  const { stop, signal } = createAbortable();
  const answers: (() => void)[] = [];
  const slow: Reply = (response) =>
    void answers.push(() => response.end(JSON.stringify(createSuccess(context).body)));
  await using raw = await startRawService([slow], { signal, concurrency: 1 });
  const first = raw.service.contexts.create(contextBody);
  const waiting = catchFailure(raw.service.contexts.create(contextBody));
  await expect.poll(() => answers.length).toBe(1);
  stop();
  const later = catchFailure(raw.service.contexts.create(contextBody));
  for (const error of [await waiting, await later]) {
    expect({ code: error.code, outcome: error.outcome }).toEqual({ code: "cancelled", outcome: "not-sent" });
  }
  answers[0]?.();
  await first;
  expect(raw.heard.length).toBe(1);
});

test.each<[string, Reply, "create" | "update", object]>([
  [
    "a wait for 429",
    { status: 429, headers: { "retry-after": "60" } },
    "create",
    { code: "cancelled", outcome: "not-sent" },
  ],
  [
    "a wait for 503",
    { status: 503, headers: { "retry-after": "60" } },
    "create",
    { code: "cancelled", outcome: "not-sent" },
  ],
  ["the pause after a lost response", { status: 502 }, "update", { code: "unavailable", outcome: "unknown" }],
])(
  "ends %s at once when the client is cancelled, and reports the write's outcome",
  async (_name, reply, operation, end) => {
    const { stop, signal } = createAbortable();
    await using raw = await startRawService([reply], {
      signal,
      backoffMs: 60_000,
      system: { ...nodeSystem, random: () => 0.99 },
    });
    const { contexts } = raw.service;
    const error = catchFailure(
      operation === "create" ? contexts.create(contextBody) : contexts.update("c-1", contextBody),
    );
    await expect.poll(() => raw.events.length).toBe(1);
    stop();
    expect(await error).toMatchObject(end);
    expect(raw.heard.length).toBe(1);
  },
);

test("causes no Node.js listener warning if many requests wait on one abort signal", async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error) => warnings.push(warning);
  process.on("warning", keep);
  const { stop, signal } = createAbortable();
  await using raw = await startRawService([{ status: 502 }], {
    signal,
    backoffMs: 60_000,
    system: { ...nodeSystem, random: () => 0.99 },
  });
  const errors = Array.from({ length: 30 }, () => catchFailure(raw.service.contexts.read("c-1")));
  await expect.poll(() => raw.events.length).toBe(30);
  stop();
  expect((await Promise.all(errors)).map(({ code }) => code)).toEqual(
    Array.from({ length: 30 }, () => "cancelled"),
  );
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", keep);
  expect(warnings).toEqual([]);
});

test("removes all listeners from an abort signal that outlives the client", async () => {
  const { signal } = createAbortable();
  for (const reply of [createSuccess(context), { status: 400, body: { detail: "No" } }]) {
    await using raw = await startRawService([reply], { signal });
    const both = [raw.service.contexts.create(contextBody), raw.service.contexts.create(contextBody)];
    await Promise.allSettled(both);
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
