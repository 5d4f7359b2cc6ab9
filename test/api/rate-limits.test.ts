import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../../src/base/http/index.js";
import type { Exchange } from "../../src/core/api/request.js";
import { countRefused, createMany, type Latency, openClient, openLimitedService } from "./limited-service.js";
import { context, contextBody, failureOf, success } from "./raw-service.js";
import { openVirtualTime } from "./virtual-time.js";

describe("a rate limit that the client does not know", () => {
  const creates = 100;
  const latencies: Latency[] = [
    [5, 5],
    [5, 500],
    [500, 500],
  ];

  test.for([1, 2, 3, 5, 10, 20])("costs few refusals and little time at %d a second", async (rate) => {
    const missed: string[] = [];
    for (const burst of new Set([null, Math.ceil(rate / 2), rate, 2 * rate]))
      for (const retryAfter of [true, false])
        for (const [seed, latency] of latencies.entries()) {
          const behaviour = { rateLimitPerSecond: rate, rateLimitBurst: burst, retryAfter };
          const { time, exchange, received } = openLimitedService(behaviour, latency, seed);
          const startMs = time.system.now();
          await time.run(createMany(openClient(time, exchange), creates));
          const refused = countRefused(received);
          const ratio = (time.system.now() - startMs) / idealMs(rate, burst, latency);
          if (refused > creates || ratio > 1.5)
            missed.push(`${burst ?? "window"}, ${retryAfter}, ${latency}: ${refused}, ${ratio.toFixed(2)}`);
        }
    expect(missed).toEqual([]);
  });

  /** A bucket that holds less than a second's worth is emptied once a second, however fast it fills. */
  function idealMs(rate: number, burst: number | null, [minMs, maxMs]: Latency): number {
    const byLimit = (creates * 1000) / Math.min(rate, burst ?? rate);
    const byConcurrency = ((creates / 10) * (minMs + maxMs)) / 2;
    return Math.max(byLimit, byConcurrency) + maxMs;
  }

  test("is shared by several clients without much loss", async () => {
    const { time, exchange, received } = openLimitedService({ rateLimitPerSecond: 10 }, [20, 200], 1);
    const clients = [1, 2, 3].map(() => openClient(time, exchange));
    await time.run(Promise.all(clients.map((client) => createMany(client, 40))));
    expect(countRefused(received)).toBeLessThanOrEqual(120);
    expect(time.system.now()).toBeLessThan(1.5 * 12_000);
  });

  test.each([
    ["lowered", 20, 2, 32_000],
    ["lifted", 2, null, 30_000],
  ])("is followed when it is %s", async (_name, before, after, idealMs) => {
    const { time, exchange, received, behaviour } = openLimitedService(
      { rateLimitPerSecond: before },
      [20, 200],
      1,
    );
    const change = time.system.sleep(2_000).then(() => {
      behaviour.rateLimitPerSecond = after;
    });
    await time.run(Promise.all([change, createMany(openClient(time, exchange), creates)]));
    expect(countRefused(received)).toBeLessThanOrEqual(creates);
    expect(time.system.now()).toBeLessThan(1.5 * idealMs);
  });

  test("is not assumed: without a 429, requests start as soon as others end", async () => {
    const { time, exchange } = openLimitedService({}, [50, 50], 1);
    const startMs = time.system.now();
    await time.run(createMany(openClient(time, exchange), 1_000));
    expect(time.system.now() - startMs).toBe((1_000 / 10) * 50);
  });
});

describe("a 429", () => {
  test("is waited out as long as Retry-After says, however often it comes", async () => {
    const { time, sentMs, exchange } = openScript([...Array(6).fill(wait("1")), ok]);
    await time.run(openClient(time, exchange).create(contextBody));
    expectPauses(sentMs, Array(6).fill(1_000));
  });

  test.each([undefined, "0"])(
    "with Retry-After %s is waited out longer each time, up to 10 s",
    async (header) => {
      const refusal = wait(header);
      const { time, sentMs, exchange } = openScript([...Array(6).fill(refusal), ok, refusal, ok]);
      const client = openClient(time, exchange);
      await time.run(client.create(contextBody));
      expectPauses(sentMs, [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
      sentMs.splice(0);
      // A success ends the growth.
      await time.run(client.create(contextBody));
      expectPauses(sentMs, [1_000]);
    },
  );

  test("keeps its long pause when a request in flight is asked for a shorter one", async () => {
    const { time, sentMs, exchange } = openScript([wait("5", 10), wait("1", 20), ok]);
    await time.run(createMany(openClient(time, exchange), 2));
    expectPauses([10, sentMs[2] ?? 0], [5_000]);
  });

  test("counts once for all requests that were in flight", async () => {
    const { time, sentMs, exchange } = openScript([...Array(10).fill(wait()), ok]);
    await time.run(createMany(openClient(time, exchange), 10));
    expectPauses(sentMs.slice(9, 11), [1_000]);
  });

  test("lets as many requests start as got through before it, and one more in each round after that", async () => {
    const { time, sentMs, exchange } = openScript([
      ...Array(3).fill({ ...ok, afterMs: 20 }),
      ...Array(7).fill(wait("1", 10)),
      ok,
    ]);
    await time.run(createMany(openClient(time, exchange), 20));
    const starts = [...new Set(sentMs)];
    expect(starts.map((start) => sentMs.filter((ms) => ms === start).length)).toEqual([10, 3, 4, 5, 5]);
    expectPauses([10, ...starts.slice(1)], [1_000, 1_000, 1_000, 1_000]);
  });

  test("for creates does not hold up reads", async () => {
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

  test("for ever makes requests fail after `patienceMs`, those after them only after as long again", async () => {
    const { time, sentMs, exchange } = openScript([wait("1")]);
    const client = openClient(time, exchange, { patienceMs: 20_000 });
    for (const attempt of [1, 2]) {
      const startMs = time.system.now();
      const sent = sentMs.length;
      const failures = [1, 2, 3].map(() => failureOf(client.create(contextBody)));
      const codes = (await time.run(Promise.all(failures))).map(({ code }) => code);
      expect(codes, `attempt ${attempt}`).toEqual(Array(3).fill("rate-limited"));
      expect(time.system.now() - startMs, `attempt ${attempt}`).toBeGreaterThan(17_500);
      expect(time.system.now() - startMs, `attempt ${attempt}`).toBeLessThanOrEqual(21_101);
      expect(sentMs.length - sent, `attempt ${attempt}`).toBeGreaterThan(15);
    }
  });
});

/** How a request is answered: with a 429, if `refused`. */
interface Answer {
  readonly refused: boolean;
  readonly retryAfter?: string | undefined;
  readonly afterMs: number;
}

const ok: Answer = { refused: false, afterMs: 0 };

function wait(retryAfter?: string, afterMs = 0): Answer {
  return { refused: true, retryAfter, afterMs };
}

function respond({ refused, retryAfter }: Answer): HttpResponse {
  if (!refused) return { status: 200, headers: {}, text: JSON.stringify(success(context).body) };
  return {
    status: 429,
    headers: { ...(retryAfter !== undefined && { "retry-after": retryAfter }) },
    text: "",
  };
}

/** A service that answers the n-th request with the n-th answer, the last one for ever, and when they were sent. */
function openScript(answers: readonly Answer[]) {
  const time = openVirtualTime(1);
  const sentMs: number[] = [];
  let sent = 0;
  const exchange: Exchange = async () => {
    const answer = answers[Math.min(sent++, answers.length - 1)] ?? ok;
    sentMs.push(time.system.now());
    await time.system.sleep(answer.afterMs);
    return respond(answer);
  };
  return { time, sentMs, exchange };
}

/** Each is at least as long, and at most a tenth longer; timers round up. */
function expectPauses(moments: readonly number[], pausesMs: readonly number[]): void {
  const between = moments.slice(1).map((ms, at) => ms - (moments[at] ?? 0));
  expect(between).toHaveLength(pausesMs.length);
  for (const [at, ms] of pausesMs.entries()) {
    expect(between[at], `pause ${at + 1}`).toBeGreaterThanOrEqual(ms);
    expect(between[at], `pause ${at + 1}`).toBeLessThanOrEqual(ms * 1.1 + 1);
  }
}
