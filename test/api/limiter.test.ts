import { expect, test } from "vitest";
import {
  catchFailure,
  context,
  contextBody,
  createSuccess,
  type Reply,
  startRawService,
} from "./raw-service.js";

const createRateLimitReply = (seconds: number): Reply => ({
  status: 429,
  body: { detail: "Too many" },
  headers: { "retry-after": `${seconds}` },
});

test("limits concurrent requests to the configured number", async () => {
  let together = 0;
  let most = 0;
  await using raw = await startRawService(
    [
      (response) => {
        most = Math.max(most, ++together);
        setTimeout(() => {
          together--;
          response.end(JSON.stringify(createSuccess(context).body));
        }, 2);
      },
    ],
    { concurrency: 3 },
  );
  await Promise.all(Array.from({ length: 30 }, () => raw.service.contexts.create(contextBody)));
  expect({ most, sent: raw.heard.length }).toEqual({ most: 3, sent: 30 });
});

test("retries a throttled create until accepted, even beyond the configured number of retries", async () => {
  await using raw = await startRawService(
    [...Array.from({ length: 6 }, () => createRateLimitReply(0.01)), createSuccess(context)],
    {
      retries: 1,
    },
  );
  expect(await raw.service.contexts.create(contextBody)).toEqual(context);
  expect(raw.service.requests).toEqual({ total: 7, throttled: 6 });
});

test("pauses only the endpoint that returned a 429", async () => {
  await using raw = await startRawService(
    ({ method }) => (method === "POST" ? createRateLimitReply(0.2) : createSuccess(context)),
    {
      patienceMs: 250,
      concurrency: 1,
    },
  );
  const first = catchFailure(raw.service.contexts.create(contextBody));
  await expect.poll(() => raw.events.length).toBe(1);
  const second = catchFailure(raw.service.contexts.create(contextBody));
  await raw.service.contexts.read("c-1");
  expect(raw.heard.map(({ method }) => method)).toEqual(["POST", "GET"]);
  expect((await first).code).toBe("rate-limited");
  expect((await second).code).toBe("rate-limited");
});

test("reports all queued requests as not sent if Retry-After exceeds `patienceMs`", async () => {
  await using raw = await startRawService([createRateLimitReply(3600)], { concurrency: 1 });
  const errors = await Promise.all(
    Array.from({ length: 5 }, () => catchFailure(raw.service.contexts.create(contextBody))),
  );
  expect(errors.map(({ code, outcome }) => ({ code, outcome }))).toEqual(
    Array.from({ length: 5 }, () => ({ code: "rate-limited", outcome: "not-sent" })),
  );
  expect(errors[0]?.message).toContain("Retry in 3600 s.");
  expect(raw.heard.length).toBe(1);
});

test("pauses an endpoint after a 429 even without Retry-After", async () => {
  await using raw = await startRawService([{ status: 429 }, createSuccess(context)]);
  expect(await raw.service.contexts.read("c-1")).toEqual(context);
  expect(raw.service.requests.throttled).toBe(1);
});

test("limits the total request rate across all endpoints to `requestsPerSecond`", async () => {
  const sentMs: number[] = [];
  await using raw = await startRawService(
    () => {
      sentMs.push(performance.now());
      return createSuccess(context);
    },
    { requestsPerSecond: 5 },
  );
  const { contexts } = raw.service;
  await Promise.all([1, 2, 3].flatMap(() => [contexts.read("c-1"), contexts.create(contextBody)]));
  expect((sentMs.at(-1) ?? 0) - (sentMs[0] ?? 0)).toBeGreaterThan(600); // Five gaps of 200 ms, with tolerance.
});
