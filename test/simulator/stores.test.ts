import { describe, expect, test } from "vitest";
import { checks, fenceCheck } from "../state/store-checks.js";
import { Machine, Process } from "./machine.js";
import type { StoreSort } from "./store-calls.js";
import { createStore } from "./stores.js";
import { Timeline } from "./timeline.js";

describe.each(["file", "git", "row"] as const)("simulated %s store", (sort: StoreSort) => {
  // The remote owner of a file lock cannot be fenced off.
  const asked = Object.entries(checks).filter(([what]) => sort !== "file" || what !== fenceCheck);

  test.each(asked)("%s", async (_, check) => {
    const timeline = new Timeline(Date.UTC(2026, 0, 2));
    const store = createStore(sort, timeline);
    const machine = new Machine({ host: "desk", skewMs: 0 }, 0, timeline);
    let runs = 0;
    let isDone = false;
    const open = async () => {
      const process = new Process({
        ...{ timeline, machine, name: `run-${++runs}`, command: "check", seed: 1, faults: [] },
        onFault() {},
      });
      const { system, pid } = process;
      return store.open(process, { allowCode: true, system, pid, host: "checks", patienceMs: 1_000 });
    };
    const checking = check(open).finally(() => {
      isDone = true;
    });
    await timeline.run(() => isDone);
    expect(isDone).toBe(true);
    await checking;
  });
});
