/** Checks how requests with a deadline end and which outcome a write reports. */
import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { withDeadline } from "../../src/core/api/index.js";
import {
  catchFailure,
  context,
  contextBody,
  createSuccess,
  type Reply,
  startRawService,
} from "./raw-service.js";

const reason = "not finished within 5 s";

function newDeadline() {
  const deadline = new AbortController();
  return { signal: deadline.signal, expire: () => deadline.abort(new Error(reason)) };
}

const hang: Reply = () => {};
const patient = { backoffMs: 60_000, system: { ...nodeSystem, random: () => 0.99 } };

describe("request deadline", () => {
  test.each([
    ["read", "unknown", `GET /v1/contexts/c-1: ${reason}.`],
    ["create", "unknown", `POST /v1/contexts: ${reason}. The change may have been made`],
    ["update", "unknown", `PATCH /v1/contexts/c-1: ${reason}. The change may have been made`],
  ] as const)("aborts a %s in progress and does not retry it", async (operation, outcome, message) => {
    await using raw = await startRawService([hang]);
    const { signal, expire } = newDeadline();
    const { contexts } = withDeadline(raw.service, signal);
    const calls = {
      read: () => contexts.read("c-1"),
      create: () => contexts.create(contextBody),
      update: () => contexts.update("c-1", contextBody),
    };
    const error = catchFailure(calls[operation]());
    await expect.poll(() => raw.heard.length).toBe(1);
    expire();
    expect(await error).toMatchObject({ code: "timeout", outcome });
    expect((await error).message).toContain(message);
    expect(raw.heard).toHaveLength(1);
  });

  test.each<[string, Reply, "create" | "update", object, string]>([
    [
      "429",
      { status: 429, headers: { "retry-after": "60" } },
      "create",
      { code: "timeout", outcome: "not-sent" },
      `the service is limiting requests, and the request was ${reason}. Nothing was sent.`,
    ],
    [
      "503",
      { status: 503, headers: { "retry-after": "60" } },
      "create",
      { code: "unavailable", outcome: "not-sent", status: 503 },
      `The request was ${reason}.`,
    ],
    ["a lost response", { status: 502 }, "update", { code: "unavailable", outcome: "unknown" }, reason],
  ])(
    "stops waiting to retry after %s, and reports the write's outcome",
    async (_, reply, operation, end, words) => {
      await using raw = await startRawService([reply], patient);
      const { signal, expire } = newDeadline();
      const { contexts } = withDeadline(raw.service, signal);
      const error = catchFailure(
        operation === "create" ? contexts.create(contextBody) : contexts.update("c-1", contextBody),
      );
      await expect.poll(() => raw.events.length).toBe(1);
      expire();
      expect(await error).toMatchObject(end);
      expect((await error).message).toContain(words);
      expect(raw.heard).toHaveLength(1);
    },
  );

  test("reports an unknown outcome if an earlier attempt may have been processed", async () => {
    const replies = [{ status: 502 }, { status: 429, headers: { "retry-after": "60" } }];
    await using raw = await startRawService(replies);
    const { signal, expire } = newDeadline();
    const error = catchFailure(withDeadline(raw.service, signal).contexts.update("c-1", contextBody));
    await expect.poll(() => raw.events.length).toBe(2);
    expire();
    expect(await error).toMatchObject({ code: "timeout", outcome: "unknown" });
  });

  test("aborts only its own requests and removes its listeners", async () => {
    const answers: (() => void)[] = [];
    const slow: Reply = (response) =>
      void answers.push(() => response.end(JSON.stringify(createSuccess(context).body)));
    const outage = {};
    await using raw = await startRawService([slow], { concurrency: 1, outage });
    const { signal, expire } = newDeadline();
    const first = raw.service.contexts.read("c-1");
    const limited = catchFailure(withDeadline(raw.service, signal).contexts.create(contextBody));
    const last = raw.service.contexts.read("c-2");
    await expect.poll(() => answers.length).toBe(1);
    expire();
    expect(await limited).toMatchObject({ code: "timeout", outcome: "not-sent" });
    answers[0]?.();
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.();
    expect(await Promise.all([first, last])).toEqual([context, context]);
    expect(raw.heard.map(({ method }) => method)).toEqual(["GET", "GET"]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(outage).toEqual({});
  });

  test("prevents all requests if it has already passed", async () => {
    await using raw = await startRawService([createSuccess(context)]);
    const { signal, expire } = newDeadline();
    expire();
    const error = await catchFailure(withDeadline(raw.service, signal).contexts.create(contextBody));
    expect(error).toMatchObject({ code: "timeout", outcome: "not-sent" });
    expect(raw.heard).toEqual([]);
  });
});
