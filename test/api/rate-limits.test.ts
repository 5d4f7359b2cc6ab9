import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../../src/base/http/index.js";
import type { Exchange } from "../../src/core/api/request.js";
import { countRefused, createMany, type Latency, openClient, openLimitedService } from "./limited-service.js";
import { catchFailure, context, contextBody, createSuccess } from "./raw-service.js";
import { openVirtualTime } from "./virtual-time.js";

describe("client of a service with an unknown rate limit", () => {
  const creates = 100;
  const latencies: Latency[] = [
    [5, 5],
    [5, 500],
    [500, 500],
  ];

  test.for([1, 2, 3, 5, 10, 20])(
    "follows a limit of %d creates per second with few 429s and little delay",
    async (rate) => {
      const missed: string[] = [];
      for (const burst of new Set([null, Math.ceil(rate / 2), rate, 2 * rate]))
        for (const retryAfter of [true, false])
          for (const [seed, latency] of latencies.entries()) {
            const behavior = { rateLimitPerSecond: rate, rateLimitBurst: burst, retryAfter };
            const { time, exchange, received } = openLimitedService(behavior, latency, seed);
            const startMs = time.system.now();
            await time.run(createMany(openClient(time, exchange), creates));
            const refused = countRefused(received);
            const ratio = (time.system.now() - startMs) / idealMs(rate, burst, latency);
            if (refused > creates || ratio > 1.5)
              missed.push(`${burst ?? "window"}, ${retryAfter}, ${latency}: ${refused}, ${ratio.toFixed(2)}`);
          }
      expect(missed).toEqual([]);
    },
  );

  /**
   * Ideal total time. The client empties a small token bucket only once a second, even if the bucket refills
   * faster.
   */
  function idealMs(rate: number, burst: number | null, [minMs, maxMs]: Latency): number {
    const byLimit = (creates * 1000) / Math.min(rate, burst ?? rate);
    const byConcurrency = ((creates / 10) * (minMs + maxMs)) / 2;
    return Math.max(byLimit, byConcurrency) + maxMs;
  }

  test("shares the limit with other clients", async () => {
    const { time, exchange, received } = openLimitedService({ rateLimitPerSecond: 10 }, [20, 200], 1);
    const clients = [1, 2, 3].map(() => openClient(time, exchange));
    await time.run(Promise.all(clients.map((client) => createMany(client, 40))));
    expect(countRefused(received)).toBeLessThanOrEqual(120);
    expect(time.system.now()).toBeLessThan(1.5 * 12_000);
  });

  test.each([
    ["lowered", 20, 2, 32_000],
    ["lifted", 2, null, 30_000],
  ])("adapts to a limit that is %s during the run", async (_name, before, after, idealMs) => {
    const { time, exchange, received, behavior } = openLimitedService(
      { rateLimitPerSecond: before },
      [20, 200],
      1,
    );
    const change = time.system.sleep(2_000).then(() => {
      behavior.rateLimitPerSecond = after;
    });
    await time.run(Promise.all([change, createMany(openClient(time, exchange), creates)]));
    expect(countRefused(received)).toBeLessThanOrEqual(creates);
    expect(time.system.now()).toBeLessThan(1.5 * idealMs);
  });

  test("sends at full concurrency if the service never returns a 429", async () => {
    const { time, exchange } = openLimitedService({}, [50, 50], 1);
    const startMs = time.system.now();
    await time.run(createMany(openClient(time, exchange), 1_000));
    expect(time.system.now() - startMs).toBe((1_000 / 10) * 50);
  });
});

describe("client after a 429", () => {
  test("waits for the time in each Retry-After header", async () => {
    const { time, sentMs, exchange } = openScript([...Array(6).fill(wait("1")), ok]);
    await time.run(openClient(time, exchange).create(contextBody));
    expectPauses(sentMs, Array(6).fill(1_000));
    // Pauses are random, so that clients do not retry at the same moment.
    expect(new Set(listPauses(sentMs)).size).toBeGreaterThan(1);
  });

  test.each([
    [undefined, 200],
    [undefined, 400],
    ["0", 200],
  ])(
    "waits longer after each 429 without a usable Retry-After (%s) until a %d response",
    async (retryAfter, status) => {
      const limited = wait(retryAfter);
      const answers = [...Array(6).fill(limited), { ...ok, status }, limited, limited, ok];
      const { time, sentMs, exchange } = openScript(answers);
      const client = openClient(time, exchange);
      await time.run(client.create(contextBody).catch(() => {}));
      expectPauses(sentMs, [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
      sentMs.splice(0);
      await time.run(client.create(contextBody));
      expectPauses(sentMs, [1_000, 2_000]);
    },
  );

  test("keeps a long pause if a later 429 has a shorter Retry-After", async () => {
    const { time, sentMs, exchange } = openScript([wait("5", 10), wait("0.1", 20), ok]);
    await time.run(createMany(openClient(time, exchange), 2));
    expectPauses([10, ...sentMs.slice(2)], [5_000, 1_000]);
  });

  test("retries the rejected request before queued requests", async () => {
    const { time, sent, exchange } = openScript([wait("1"), ok]);
    const client = openClient(time, exchange, { concurrency: 1 });
    const names = ["first", "second"];
    await time.run(Promise.all(names.map((name) => client.create({ ...contextBody, name }))));
    expect(sent).toMatchObject([{ name: "first" }, { name: "first" }, { name: "second" }]);
  });

  test("backs off only once if several concurrent requests receive a 429", async () => {
    const { time, sentMs, exchange } = openScript([...Array(10).fill(wait()), ok]);
    await time.run(createMany(openClient(time, exchange), 10));
    expectPauses(sentMs.slice(9, 11), [1_000]);
  });

  test("resumes with as many requests as succeeded before the pause, then adds one per round", async () => {
    const { time, sentMs, exchange } = openScript([
      ...Array(3).fill({ ...ok, afterMs: 20 }),
      ...Array(7).fill(wait("1", 10)),
      ok,
    ]);
    await time.run(createMany(openClient(time, exchange), 20));
    expect(countTogether(sentMs)).toEqual([10, 3, 4, 5, 5]);
    expectPauses([10, ...new Set(sentMs.slice(10))], [1_000, 1_000, 1_000, 1_000]);
  });

  test("resumes after another pause with as many requests as the largest successful round since the first pause", async () => {
    const { time, sentMs, exchange } = openScript([
      ...Array(3).fill({ ...ok, afterMs: 20 }),
      ...Array(7).fill(wait("1", 10)),
      ...Array(3).fill(ok),
      ok,
      ...Array(3).fill(wait("1")),
      ok,
    ]);
    await time.run(createMany(openClient(time, exchange), 20));
    expect(countTogether(sentMs)).toEqual([10, 3, 4, 3, 4, 5, 1]);
  });

  test("starts each round a second after the previous one, even if requests are slow", async () => {
    const slow = { ...ok, afterMs: 300 };
    const { time, sentMs, exchange } = openScript([slow, slow, slow, wait("1"), slow]);
    await time.run(createMany(openClient(time, exchange, { concurrency: 2 }), 7));
    // A round has three requests, but only two run at once. The third starts 300 ms later.
    expect(countTogether(sentMs)).toEqual([2, 2, 2, 1, 1]);
    const [, refused, round, third, next] = [...new Set(sentMs)];
    expectPauses([refused ?? 0, round ?? 0, next ?? 0], [1_000, 1_000]);
    expect((third ?? 0) - (round ?? 0)).toBe(300);
  });

  test("sends one batch of requests per second after a long Retry-After", async () => {
    const { time, sentMs, exchange } = openScript([...Array(6).fill(wait("30")), ok]);
    await time.run(createMany(openClient(time, exchange), 6));
    expectPauses([0, ...new Set(sentMs.slice(6))], [30_000, 1_000, 1_000]);
  });

  test("fails each request at once if Retry-After exceeds `patienceMs`", async () => {
    const { time, sentMs, exchange } = openScript([wait("121")]);
    const client = openClient(time, exchange);
    for (const attempt of [1, 2]) {
      const { code } = await time.run(catchFailure(client.create(contextBody)));
      expect([code, sentMs.length, time.system.now()]).toEqual(["rate-limited", attempt, 0]);
    }
  });

  test("continues reads while creates wait", async () => {
    const time = openVirtualTime(1);
    const client = openClient(time, async ({ method }) => {
      await time.system.sleep(20);
      return method === "POST" && time.system.now() < 10_000 ? respond(wait("1")) : respond(ok);
    });
    let readMs = 0;
    const read = async () => {
      await client.read("c-1");
      readMs = time.system.now();
    };
    await time.run(Promise.all([createMany(client, 5), ...Array.from({ length: 100 }, read)]));
    expect(time.system.now()).toBeGreaterThan(10_000);
    expect(readMs).toBeLessThanOrEqual(((5 + 100) / 10) * 20 + 20);
  });

  test("fails each request after its own `patienceMs` of 429s", async () => {
    const { time, sentMs, exchange } = openScript([wait("1")]);
    const client = openClient(time, exchange, { patienceMs: 20_000 });
    for (const attempt of [1, 2]) {
      const startMs = time.system.now();
      const sent = sentMs.length;
      const failures = [1, 2, 3].map(() => catchFailure(client.create(contextBody)));
      const codes = (await time.run(Promise.all(failures))).map(({ code }) => code);
      expect(codes, `attempt ${attempt}`).toEqual(Array(3).fill("rate-limited"));
      expect(time.system.now() - startMs, `attempt ${attempt}`).toBeGreaterThan(17_500);
      expect(time.system.now() - startMs, `attempt ${attempt}`).toBeLessThanOrEqual(21_101);
      expect(sentMs.length - sent, `attempt ${attempt}`).toBeGreaterThan(15);
    }
  });
});

/** Response to a request and its delay. */
interface Answer {
  readonly status: number;
  readonly retryAfter?: string | undefined;
  readonly afterMs: number;
}

const ok: Answer = { status: 200, afterMs: 0 };

function wait(retryAfter?: string, afterMs = 0): Answer {
  return { status: 429, retryAfter, afterMs };
}

function respond({ status, retryAfter }: Answer): HttpResponse {
  const headers = { ...(retryAfter !== undefined && { "retry-after": retryAfter }) };
  return { status, headers, text: status === 200 ? JSON.stringify(createSuccess(context).body) : "" };
}

/** Opens a service that sends the n-th response to the n-th request and repeats the last one. */
function openScript(answers: readonly Answer[]) {
  const time = openVirtualTime(1);
  /** Request bodies. */
  const sent: unknown[] = [];
  const sentMs: number[] = [];
  const exchange: Exchange = async ({ body }) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)] ?? ok;
    sent.push(body);
    sentMs.push(time.system.now());
    await time.system.sleep(answer.afterMs);
    return respond(answer);
  };
  return { time, sent, sentMs, exchange };
}

function countTogether(moments: readonly number[]): number[] {
  return [...new Set(moments)].map((moment) => moments.filter((ms) => ms === moment).length);
}

/** Expects each pause to be at least the given length and at most 10 % longer. Timers round up. */
function expectPauses(moments: readonly number[], pausesMs: readonly number[]): void {
  const between = listPauses(moments);
  expect(between).toHaveLength(pausesMs.length);
  for (const [at, ms] of pausesMs.entries()) {
    expect(between[at], `pause ${at + 1}`).toBeGreaterThanOrEqual(ms);
    expect(between[at], `pause ${at + 1}`).toBeLessThanOrEqual(ms * 1.1 + 1);
  }
}

function listPauses(moments: readonly number[]): number[] {
  return moments.slice(1).map((ms, at) => ms - (moments[at] ?? 0));
}
