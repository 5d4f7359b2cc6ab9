import { expect, it } from "vitest";
import type { Change, Result } from "../../src/core/engine/index.js";
import { runInOrder } from "../../src/core/engine/run-in-order.js";

const change = (address: string, ...after: string[]): Change => ({
  address,
  kind: "context",
  label: "",
  action: "create",
  reason: "new",
  fields: [],
  overwrites: false,
  notes: [],
  ...(after.length > 0 ? { after } : {}),
});

const ended = ({ address, action }: Change, status: Result["status"]): Result => ({
  address,
  action,
  status,
  notes: [],
});

it.each(["failed", "skipped", "unknown"] as const)(
  "tells whoever waited for a change that %s",
  async (status) => {
    const told: [string, string | undefined][] = [];
    await runInOrder([change("a"), change("b", "a"), change("c")], 1, async (one, failedBefore) => {
      told.push([one.address, failedBefore?.address]);
      return ended(one, one.address === "a" ? status : "applied");
    });
    expect(told).toEqual([
      ["a", undefined],
      ["b", "a"],
      ["c", undefined],
    ]);
  },
);

it("never has more at work than it may", async () => {
  let running = 0;
  let most = 0;
  const changes = Array.from({ length: 9 }, (_, at) => change(`${at}`));
  await runInOrder(changes, 3, async (one) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return ended(one, "applied");
  });
  expect(most).toBe(3);
});

it("throws only when everything at work has ended, and begins nothing more", async () => {
  const log: string[] = [];
  const changes = ["broken", "slow", "next"].map((address) => change(address));
  const run = runInOrder(changes, 2, async (one) => {
    log.push(`${one.address} begins`);
    if (one.address === "broken") throw new Error("Disk full");
    await new Promise((resolve) => setTimeout(resolve, 20));
    log.push(`${one.address} is recorded`);
    return ended(one, "applied");
  });
  await expect(run).rejects.toThrow("Disk full");
  expect(log).toEqual(["broken begins", "slow begins", "slow is recorded"]);
});
