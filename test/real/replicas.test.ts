// @module-tag night
/** Runs `sync` replicas in separate processes that share git states on a real Gitea. */
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createPromptFile, desks, quote, startEnvironmentTeam } from "./gitea-environments.js";
import type { Pull } from "./gitea-team.js";

describe("four sync replicas on one state", { tags: ["gitea", "act"] }, () => {
  vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 600_000 });

  test("apply each merge once and send no rejection notices", async () => {
    const team = await startEnvironmentTeam({ isFollowed: true });
    onTestFinished(() => team.close());
    const { staging, production } = team;
    const first = [team.startReplica("staging"), team.startReplica("staging")];
    const second = [1, 2, 3, 4].map(() => team.startReplica("production"));
    const logs: string[] = [];
    for (const { child } of [...first, ...second])
      child.stdout?.on("data", (text: string) => logs.push(text));

    const eventually = (look: () => void) => vi.waitFor(look, { timeout: 300_000, interval: 500 });
    const hasAll = (names: readonly string[]) =>
      eventually(() => {
        for (const { world } of [staging, production])
          expect(world.contexts.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
      });
    const hasLine = (desk: (typeof desks)[number], sentence: string) =>
      eventually(() =>
        expect([team.live("staging", desk), team.live("production", desk)]).toEqual([sentence, sentence]),
      );
    await hasAll(desks);
    const startMs = Date.now();

    const added = `${team.manifest}`.replace(
      "secrets:\n",
      "  parcels: { name: parcels, prompt: Track it. }\nsecrets:\n",
    );
    const pulls: Pull[] = [
      await team.propose("one", createPromptFile("returns", "You help with returns and exchanges.")),
      await team.propose("two", createPromptFile("orders", "You help with orders and bills.")),
      await team.propose("three", { "avatarops.yaml": added }),
      await team.propose("four", createPromptFile("gifts", "You help with gifts and cards.")),
    ];
    const [one, two, three, four] = pulls as [Pull, Pull, Pull, Pull];
    await team.land(one);
    await hasLine("returns", "You help with returns and exchanges.");
    // Merges two changes within seconds. One change creates an object.
    await team.land(two);
    await team.land(three);
    await hasLine("orders", "You help with orders and bills.");
    await hasAll([...desks, "parcels"]);
    // Suspends the staging replicas for a minute, like a slow job.
    for (const { child } of first) child.kill("SIGSTOP");
    await team.land(four);
    await wait(60_000);
    expect(team.live("production", "gifts")).toBe("You help with gifts.");
    for (const { child } of first) child.kill("SIGCONT");
    await hasLine("gifts", "You help with gifts and cards.");
    await wait(Math.max(0, startMs + 300_000 - Date.now()));

    // A slow machine may still be applying the last merge.
    const comments = await vi.waitFor(
      async () => {
        const found: Record<string, string> = {};
        for (const pull of pulls)
          found[`#${pull.number}`] = (await team.comments(pull, "outcome")).join("\n~~~\n");
        for (const comment of Object.values(found)) expect(comment).not.toContain(": applying ");
        return found;
      },
      { timeout: 180_000, interval: 5_000 },
    );
    const heard = team.hear();
    const lines = logs
      .join("")
      .split("\n")
      .filter((line) => line.includes('"cycle"'));
    quote("i. sync", { chat: heard, ...comments, log: lines.join("\n") });
    expect(heard.filter((notice) => !/applied/.test(notice))).toEqual([]);
    for (const comment of Object.values(comments)) {
      expect(comment).not.toContain("nothing was applied");
      expect(comment.match(/^### `avatarops\/production`: \d applied/gm)).toHaveLength(1);
    }
    for (const [environment, { requests }] of Object.entries({ staging, production })) {
      const count = (method: string) => requests.filter((request) => request.method === method).length;
      expect([environment, count("POST"), count("PATCH")]).toEqual([environment, desks.length + 2, 3]);
    }
    for (const { child } of [...first, ...second]) child.kill("SIGTERM");
    for (const { ended } of [...first, ...second]) expect(await ended).toMatchObject({ exit: 0, stderr: "" });
    await team.expectSettled();
  });
});
