// @module-tag ci
/**
 * Tests runs that apply between the plan and the lock of `sync`, or that leave a journal or a lock behind.
 */
import { expect, onTestFinished, test } from "vitest";
import { startReceiver } from "../cli/receiver.js";
import { startVault } from "../secrets/stand-ins/vault.js";
import { followFor, listPrompts, readOutcomes, startTeam, type Team } from "./team.js";

/** Creates a promise that the test resolves. */
function newGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

const formatDesk = (prompt: string) =>
  `contexts:\n  desk: { name: Desk, prompt: ${JSON.stringify(prompt)} }\n`;

/** Calls `before` when `sync` is about to take the lock. */
function callBeforeLock({ backend }: Team, before: () => Promise<void>): void {
  backend.answer = async ({ method, url = "" }) => {
    if (method !== "POST" || !url.includes("/lock")) return undefined;
    backend.answer = undefined;
    await before();
    return undefined;
  };
}

const formatKeys = (...names: readonly string[]) =>
  `secrets:\n${names.map((name) => `  ${name}: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }\n`).join("")}`;
const environment = { LLM_API_KEY: "key-one-12345" };

test.each([
  { state: "no state", files: { "more.yaml": formatDesk("Be kind.") } },
  { state: "a state", files: { "more.yaml": formatKeys("llm") } },
])(
  "plans a sync cycle again if another run applied between the plan and the lock (starting with $state)",
  async (given) => {
    const team = await startTeam("include: [more.yaml]\n", { environment });
    if (given.state === "a state") {
      await team.commit({ "more.yaml": formatDesk("Be kind.") });
      expect(await team.atDesk("apply", "--auto-approve")).toMatchObject({ exit: 0 });
      team.emulator.requests.length = 0;
    }
    await team.commit(given.files);
    callBeforeLock(team, async () => {
      expect(await team.atDesk("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    });
    const { log } = await followFor(team, 1);
    expect(readOutcomes({ log }), JSON.stringify(log)).toEqual(["unchanged"]);
    expect(team.emulator.requests.filter(({ method }) => method !== "GET")).toHaveLength(1);
  },
);

test("reads a Vault secret again in a sync cycle if another run sent a newer value before the lock", async () => {
  const vault = await startVault();
  onTestFinished(() => vault.close());
  const given = { environment: { VAULT_ADDR: vault.url, VAULT_TOKEN: vault.token } };
  const team = await startTeam("include: [more.yaml]\n", given);
  const applyAtDesk = async (value: string) => {
    vault.put("llm", { api_key: value });
    expect(await team.atDesk("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  };
  const text = formatKeys("llm").replace("!env LLM_API_KEY", "!vault kv/llm#api_key");
  await team.commit({ "more.yaml": text });
  await applyAtDesk("key-one-12345");
  vault.put("llm", { api_key: "key-two-12345" });
  callBeforeLock(team, () => applyAtDesk("key-three-12345"));
  const { log } = await followFor(team, 1);
  expect(readOutcomes({ log }), JSON.stringify(log)).toEqual(["unchanged"]);
  const sent = team.emulator.world.secrets.map(({ id }) => team.emulator.secretValue(id));
  expect(sent).toContain("key-three-12345");
  expect(sent).not.toContain("key-two-12345");
});

test("plans a sync cycle again if another run owned the lock but recorded nothing", async () => {
  const team = await startTeam("include: [more.yaml]\n", { environment });
  await team.commit({ "more.yaml": formatKeys("tts") });
  expect(await team.atDesk("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  await team.commit({ "more.yaml": formatKeys("tts", "llm") });
  const [isSent, isPlanned] = [newGate(), newGate()];
  const match = { method: "POST", path: "/v1/secrets" };
  const run = async () => {
    isSent.open();
    await isPlanned.opened;
  };
  team.emulator.addFault({ match, do: { kind: "run", run } });
  team.emulator.addFault({ match, do: { kind: "status", status: 400 } });
  const applied = team.atDesk("apply", "--auto-approve");
  await isSent.opened;
  callBeforeLock(team, async () => {
    isPlanned.open();
    // Exit code 1 means that every change failed.
    expect(await applied).toMatchObject({ exit: 1 });
  });
  const { log } = await followFor(team, 1);
  expect(readOutcomes({ log }), JSON.stringify(log)).toEqual(["applied"]);
  expect(team.emulator.world.secrets).toHaveLength(2);
});

test("applies nothing and sends no notice in a sync cycle if another run has applied a later commit", async () => {
  const hook = await startReceiver();
  const given = { environment: { HOOK: hook.url } };
  const team = await startTeam("notify: [{ url: !env HOOK }]\ninclude: [more.yaml]\n", given);
  const applyAtDesk = async (prompt: string) => {
    await team.commit({ "more.yaml": formatDesk(prompt) });
    expect(await team.atDesk("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  };
  await applyAtDesk("Be kind.");
  await team.commit({ "more.yaml": formatDesk("Be kinder.") });
  callBeforeLock(team, async () => {
    await applyAtDesk("Be kindest.");
    hook.take();
  });
  const { log } = await followFor(team, 2);
  expect(readOutcomes({ log }), JSON.stringify(log)).toEqual(["locked", "unchanged"]);
  expect(hook.take()).toEqual([]);
  expect(listPrompts(team)).toEqual(["Be kindest."]);
});

test("sends no rejection notice if the branch moved during the sync cycle", async () => {
  const hook = await startReceiver();
  const settings = "notify: [{ url: !env HOOK }]\nthresholds: { max_percent: 10, min_objects: 1 }\n";
  const given = { environment: { HOOK: hook.url } };
  const team = await startTeam(`${settings}include: [more.yaml]\n`, given);
  await team.commit({ "more.yaml": formatDesk("Be kind.") });
  expect(await team.atDesk("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  await team.commit({ "more.yaml": formatDesk("Be kinder.") });
  const run = async () => void (await team.commit({ "more.yaml": formatDesk("Be kind.") }));
  team.emulator.addFault({ match: { method: "GET", path: "/v1/contexts" }, do: { kind: "run", run } });
  hook.take();
  const { log } = await followFor(team, 2);
  expect(readOutcomes({ log }), JSON.stringify(log)).toEqual(["locked", "unchanged"]);
  expect(hook.take()).toEqual([]);
});

test("closes an interrupted run's journal in a sync cycle with nothing left to apply", async () => {
  const team = await startTeam("include: [more.yaml]\n");
  await team.commit({ "more.yaml": formatDesk("Be kind.") });
  const isInterrupted = () =>
    [...team.backend.states.values()].some(({ text }) => text?.includes('"journal"'));
  const seen: boolean[] = [];
  await followFor(team, 4, async (cycle) => {
    seen.push(isInterrupted());
    if (cycle !== 2) return;
    team.emulator.editContext("Desk", { prompt: "Edited." });
    // After the update, the store rejects the commit and accepts the outcome.
    let writes = 0;
    team.backend.answer = ({ url }) => {
      const isAfter = url?.includes("?ID=") && listPrompts(team)[0] === "Be kind.";
      return isAfter && ++writes === 1 ? { status: 403 } : undefined;
    };
    const ran = await team.atDesk("apply", "--auto-approve", "--overwrite-drift");
    expect(ran, ran.stderr).toMatchObject({ exit: 3 });
    expect(isInterrupted()).toBe(true);
  });
  expect(seen).toEqual([false, false, false, false]);
  expect(team.emulator.requests.filter(({ method }) => method !== "GET")).toHaveLength(2);
});

test("takes over sync's own lock after a failed release", async () => {
  const team = await startTeam("include: [more.yaml]\n");
  await team.commit({ "more.yaml": formatDesk("One") });
  const name = "/api/v4/projects/1/terraform/state/production";
  const locks: (string | undefined)[] = [];
  const { log } = await followFor(team, 4, async (cycle) => {
    locks.push(team.backend.states.get(name)?.lock ? "held" : undefined);
    const isCut = cycle === 1;
    // The server fails to release the lock in this cycle.
    team.backend.answer = ({ method, url }) =>
      isCut && method === "DELETE" && url?.includes("/lock") ? { status: 503 } : undefined;
    if (isCut) await team.commit({ "more.yaml": formatDesk("Two") });
    if (cycle === 2) await team.commit({ "more.yaml": formatDesk("Three") });
  });
  expect(locks).toEqual([undefined, "held", undefined, undefined]);
  expect(readOutcomes({ log })).toEqual(["applied", "applied", "applied", "unchanged"]);
  expect(JSON.stringify(log)).toContain("the state lock could not be released");
  expect(listPrompts(team)).toEqual(["Three"]);
  expect(team.emulator.requests.filter(({ method }) => method !== "GET")).toHaveLength(3);
});

test("releases the previous sync cycle's lock in a cycle with nothing to do", async () => {
  const team = await startTeam(formatDesk("Be kind."));
  const locks: (string | undefined)[] = [];
  const { log } = await followFor(team, 3, (cycle) => {
    const [state] = team.backend.states.values();
    locks.push(state?.lock && "held");
    const isCut = cycle === 1;
    team.backend.answer = ({ method, url }) =>
      isCut && method === "DELETE" && url?.includes("/lock") ? { status: 503 } : undefined;
  });
  expect(locks).toEqual([undefined, "held", undefined]);
  expect(readOutcomes({ log })).toEqual(["applied", "unchanged", "unchanged"]);
});

test("keeps another live sync process's checkouts in the same work folder", async () => {
  const team = await startTeam("include: [more.yaml]\n");
  await team.commit({ "more.yaml": formatDesk("One") });
  const asParent: Team = {
    ...team,
    follow: (setting, ...argv) => team.follow({ ...setting, pid: process.ppid }, ...argv),
  };
  const { log } = await followFor(asParent, 3, async (cycle) => {
    if (cycle > 1) return;
    expect(readOutcomes(await followFor(team, 1))).toEqual(["unchanged"]);
    await team.commit({ "more.yaml": formatDesk("Two") });
  });
  expect(readOutcomes({ log })).toEqual(["applied", "applied", "unchanged"]);
});
