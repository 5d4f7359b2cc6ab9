import { expect, onTestFinished, test, vi } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { openIntentGroups } from "../../src/core/engine/intent-groups.js";
import { createIntent } from "../state/building.js";

/* For the group size, see test/stores/apply.test.ts. */

/** Opens intent groups and counts the intents in each recorded group. */
function open() {
  const groups: number[] = [];
  let isNew = true;
  const writer = {
    async recordIntent() {
      if (isNew) groups.push(0);
      isNew = false;
      groups.push((groups.pop() ?? 0) + 1);
      await undefined;
      isNew = true;
    },
  };
  const intents = openIntentGroups(writer, 2, nodeSystem);
  return { groups, intents };
}

test("writes a group of intents to the journal without waiting for a change that failed", async () => {
  const { groups, intents } = open();
  const failing = intents.runChange("context.b", async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    throw new Error("not done");
  });
  const recording = intents.runChange("context.a", () => intents.record(createIntent("context.a")));
  await expect(failing).rejects.toThrow("not done");
  await recording;
  expect(groups).toEqual([1]);
});

test("writes a group of intents to the journal after ten seconds if a change is still running", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { groups, intents } = open();
  void intents.runChange("context.b", () => new Promise(() => {}));
  const recording = intents.runChange("context.a", () => intents.record(createIntent("context.a")));
  await vi.advanceTimersByTimeAsync(9_000);
  expect(groups).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  await recording;
  expect(groups).toEqual([1]);
});
