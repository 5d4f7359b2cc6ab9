import { expect, it } from "vitest";
import type { Change, Result } from "../../src/core/engine/index.js";
import { runInOrder } from "../../src/core/engine/run-in-order.js";

/* For the order and dependencies, see swapped-names.test.ts and references.test.ts. */

const createChange = (address: string): Change => ({
  address,
  kind: "context",
  label: "",
  action: "create",
  reason: "new",
  fields: [],
  overwrites: false,
  notes: [],
});

const createAppliedResult = ({ address, action }: Change): Result => ({
  address,
  action,
  status: "applied",
  notes: [],
});

it("runs at most as many changes at once as the limit allows", async () => {
  let running = 0;
  let most = 0;
  const changes = Array.from({ length: 9 }, (_, at) => createChange(`${at}`));
  await runInOrder(changes, 3, async (one) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return createAppliedResult(one);
  });
  expect(most).toBe(3);
});

it("starts no further changes after one throws, and rethrows the error once the running changes have ended", async () => {
  const log: string[] = [];
  const changes = ["broken", "slow", "next"].map((address) => createChange(address));
  const run = runInOrder(changes, 2, async (one) => {
    log.push(`${one.address} begins`);
    if (one.address === "broken") throw new Error("Disk full");
    await new Promise((resolve) => setTimeout(resolve, 20));
    log.push(`${one.address} is recorded`);
    return createAppliedResult(one);
  });
  await expect(run).rejects.toThrow("Disk full");
  expect(log).toEqual(["broken begins", "slow begins", "slow is recorded"]);
});
