/** Every way into the account has the same gates: the command, the library and sync; Terraform has those of one resource. */
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import {
  type ApplyOptions,
  applyProject,
  closeRuntime,
  createRuntime,
  openProject,
  planProject,
  rollbackProject,
} from "../../src/index.js";
import { startEmulator } from "../documented-emulator.js";
import { followFor, startTeam, type Team } from "../sync/team.js";
import { account, startRun } from "../terraform/unit/driving.js";

/** As many contexts, of which the first ones have another prompt. */
function contexts(count: number, changed: number, prompt = "Be brief."): string {
  const lines = Array.from(
    { length: count },
    (_, i) => `  c${i}: { name: c${i}, prompt: ${JSON.stringify(i < changed ? prompt : "Be kind.")} }\n`,
  );
  return `contexts:\n${lines.join("")}`;
}

interface Gate {
  readonly settings?: string;
  /** How many objects there are. */
  readonly count: number;
  /** What is done after everything was applied. */
  close(team: Team, commit: (changed: number, prompt?: string) => Promise<unknown>): Promise<unknown>;
  /** What opens it, for the command and for the library. */
  readonly opens?: readonly [flag: string, options: ApplyOptions];
  /** Default: the name of the gate. */
  readonly code?: string;
  /** The outcome of a cycle; default: "refused". */
  readonly outcome?: string;
  /** How the provider refuses the same, or why it does not, as docs/terraform.md says. */
  readonly terraform: string | (() => Promise<void>);
}

const pullRequest = { number: 7, url: "https://git.example.com/acme/avatars/pull/7" };

/** A context that Terraform manages is not changed at another address. */
async function otherServiceByTerraform(): Promise<void> {
  const context = { name: "desk", prompt: "Be kind." };
  const [first, other] = [await account({ world: emptyDataset() }), await account({ world: emptyDataset() })];
  const { kept } = await (await startRun(first)).apply("avatarops_context", context);
  const run = await startRun(other);
  const changed = { ...context, prompt: "Be brief." };
  const { said } = await run.apply("avatarops_context", changed, kept ?? undefined);
  expect(said).toMatchObject([{ severity: "error", summary: "The state belongs to another service" }]);
  expect(other.requests.filter(({ method }) => method !== "GET")).toEqual([]);
}

const gates: Readonly<Record<string, Gate>> = {
  threshold: {
    count: 10,
    close: (_, commit) => commit(4),
    opens: ["--force", { force: true }],
    terraform: "it sees one resource at a time",
  },
  "all-vanished": {
    count: 2,
    close: async ({ emulator }) => emulator.world.contexts.splice(0),
    opens: ["--recreate", { recreate: true }],
    terraform: "it sees one resource at a time",
  },
  behind: {
    count: 1,
    async close(team, commit) {
      await commit(1);
      expect(await team.atDesk("apply", "-y")).toMatchObject({ exit: 0 });
      team.git("reset", "--hard", "--quiet", "HEAD~1");
    },
    opens: ["--force-behind", { forceBehind: true }],
    terraform: "its state records no commit",
  },
  held: {
    count: 1,
    async close(team, commit) {
      expect(await team.atDesk("hold", "--reason", "incident 42")).toMatchObject({ exit: 0 });
      await commit(1);
    },
    opens: ["--ignore-hold", { ignoreHold: true }],
    outcome: "held",
    terraform: "holds are in the state of avatarops",
  },
  policy: {
    settings: "policies: { grown-prompt: { severity: error } }\n",
    count: 1,
    close: async (team, commit) => {
      await commit(1, "word ".repeat(300).trim());
      expect(await team.atDesk("apply", "-y", "--force")).toMatchObject({ exit: 0 });
      await commit(1, "word ".repeat(900).trim());
    },
    code: "policy",
    terraform: "it reads no manifest",
  },
  "not-approved": {
    count: 1,
    // What was applied before nobody had to approve.
    close: (team) =>
      team.commit({
        "contexts.yaml": contexts(1, 1),
        "avatarops.yaml": `${readFileSync(`${team.repository}/avatarops.yaml`, "utf8")}reviews: { require_approval: 1 }\n`,
      }),
    opens: ["--reviewed", { reviewed: async () => pullRequest }],
    terraform: "it reads no manifest",
  },
  "sessions-active": {
    settings: "service: { wait_for_idle: 1s }\n",
    count: 1,
    async close({ emulator }, commit) {
      emulator.addSession();
      await commit(1);
    },
    outcome: "waiting",
    terraform: "it reads no manifest",
  },
  "other-service": {
    count: 1,
    async close(team, commit) {
      await commit(1);
      const other = await startEmulator({ world: emptyDataset() });
      onTestFinished(() => other.close());
      Object.assign(team.environment, { AVATAROPS_BASE_URL: other.url });
    },
    outcome: "failed",
    terraform: otherServiceByTerraform,
  },
};

test.each(Object.entries(gates))(
  "%s refuses an apply by command, library, sync and, where it can, Terraform",
  async (name, gate) => {
    const { settings = "", count, close, opens, code = name, outcome = "refused", terraform } = gate;
    if (typeof terraform === "function") await terraform();
    else expect(readFileSync("docs/terraform.md", "utf8")).toContain(`| \`${code}\` | No: ${terraform}`);
    const team = await startTeam(`include: [contexts.yaml]\n${settings}`);
    const commit = (changed: number, prompt?: string) =>
      team.commit({ "contexts.yaml": contexts(count, changed, prompt) });
    await commit(0);
    expect(await team.atDesk("apply", "-y")).toMatchObject({ exit: 0 });
    await close(team, commit);
    const sent = team.emulator.requests.length;
    const writes = () => team.emulator.requests.slice(sent).filter(({ method }) => method !== "GET");

    const command = await team.atDesk("apply", "-y", "--format", "json");
    expect(JSON.parse(command.stdout)).toMatchObject({ format: "avatarops/error", code });
    await expect(applyByLibrary(team)).rejects.toMatchObject({ code });
    const { log } = await followFor(team, 1);
    expect(log.find(({ msg }) => msg === "cycle")?.outcome, JSON.stringify(log)).toBe(outcome);
    expect(writes()).toEqual([]);

    if (!opens) return;
    const applied = await applyByLibrary(team, opens[1]);
    expect(applied?.outcome.results.map(({ status }) => status)).toContain("applied");
    expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    expect((await team.atDesk("apply", "--help")).stdout).toContain(opens[0]);
  },
);

test("a rollback has the gates of an apply, by command and by library", async () => {
  const team = await startTeam("include: [contexts.yaml]\n");
  for (const changed of [0, 10]) {
    await team.commit({ "contexts.yaml": contexts(10, changed) });
    expect(await team.atDesk("apply", "-y", "--force")).toMatchObject({ exit: 0 });
  }
  const to = String(JSON.parse((await team.atDesk("history", "--format", "json")).stdout).records[1].serial);
  const command = await team.atDesk("rollback", "--to", to, "-y");
  expect(command).toMatchObject({ exit: 1, stderr: expect.stringContaining("error[threshold]") });
  const rollback = (force: boolean) =>
    inLibrary(team, async (runtime) => rollbackProject(runtime, await openProject(runtime), { to, force }));
  await expect(rollback(false)).rejects.toMatchObject({ code: "threshold" });
  expect(team.emulator.world.contexts.every(({ prompt }) => prompt === "Be brief.")).toBe(true);
  await rollback(true);
  expect(team.emulator.world.contexts.every(({ prompt }) => prompt === "Be kind.")).toBe(true);
});

test("production is not applied before staging has what the files say, by command, library and sync", {
  tags: "night",
}, async () => {
  const account = await startEmulator({ world: emptyDataset() });
  onTestFinished(() => account.close());
  const stateAt = (name: string) => `git+refs://origin/avatarops/${name}`;
  const team = await startTeam(
    `include: [contexts.yaml]\nenvironments:\n  staging: { state: ${stateAt("staging")} }\n  production: { needs: [staging], service: { base_url: ${account.url} } }\n`,
    // The files name the address of production.
    { environment: { AVATAROPS_ALLOW_HOSTS: "127.0.0.1" } },
  );
  team.git("remote", "add", "origin", team.repository);
  team.git("config", "receive.denyCurrentBranch", "ignore");
  const writes = () => account.requests.filter(({ method }) => method !== "GET").length;
  const staging = () => team.atDesk("apply", "-y", "--env", "staging");
  await team.commit({ "contexts.yaml": contexts(2, 0) });
  expect(await staging()).toMatchObject({ exit: 0 });
  const first = await team.atDesk("apply", "-y", "--env", "production");
  expect(first, first.stderr).toMatchObject({ exit: 0 });

  await team.commit({ "contexts.yaml": contexts(2, 1) });
  const sent = writes();
  const command = await team.atDesk("apply", "-y", "--env", "production", "--format", "json");
  expect(JSON.parse(command.stdout)).toMatchObject({
    code: "needs",
    message: expect.stringContaining("context.c0"),
  });
  const env = "production";
  const byLibrary = (options = {}) =>
    inLibrary(team, async (runtime) => {
      const chosen = { ...runtime, options: { env } };
      return applyProject(chosen, await openProject(chosen), options);
    });
  await expect(byLibrary()).rejects.toMatchObject({ code: "needs" });
  const { log } = await followFor(team, 1, undefined, "--env", env, "--unpinned");
  expect(log.find(({ msg }) => msg === "cycle")).toMatchObject({
    outcome: "refused",
    problems: [{ code: "needs" }],
  });
  expect(writes()).toBe(sent);

  // The jobs of both start at once: what was reviewed waits, and is refused if staging takes too long.
  const reviewed = (lockTimeout: number) => {
    const said: string[] = [];
    const applied = inLibrary(team, async (runtime) => {
      const output = { ...runtime.output, info: (text: string) => void said.push(text) };
      const chosen = { ...runtime, options: { env, lockTimeout }, output };
      return applyProject(chosen, await openProject(chosen), { reviewed: async () => pullRequest });
    });
    return { applied, said };
  };
  await expect(reviewed(10).applied).rejects.toMatchObject({ code: "needs" });
  const waiting = reviewed(600_000);
  await expect.poll(() => waiting.said).toEqual(["Waiting for staging, which does not have context.c0 yet."]);
  expect(writes()).toBe(sent);
  expect(await staging()).toMatchObject({ exit: 0 });
  expect((await waiting.applied)?.outcome.results).toMatchObject([
    { address: "context.c0", status: "applied" },
  ]);
  expect(waiting.said).toHaveLength(1);

  // A squash gives the same files another commit.
  await team.commit({ "contexts.yaml": contexts(2, 2) });
  expect(await staging()).toMatchObject({ exit: 0 });
  team.git("commit", "--quiet", "--amend", "--message", "Squashed");
  expect(await team.atDesk("apply", "-y", "--env", "production")).toMatchObject({ exit: 0 });

  // An apply of staging fails in the middle.
  await team.commit({ "contexts.yaml": contexts(2, 2, "Be warm.") });
  team.emulator.addFault("PATCH /v1/contexts/* 400");
  expect((await staging()).exit).toBe(3);
  expect(await team.atDesk("apply", "-y", "--env", "production")).toMatchObject({
    ...{ exit: 1, stderr: expect.stringContaining("error[needs]") },
  });
  const applied = await byLibrary({ ignoreNeeds: true });
  expect(applied?.outcome.results.map(({ status }) => status)).toEqual(["applied", "applied"]);
});

test("what somebody did not agree to is not applied", async () => {
  const team = await startTeam(contexts(1, 0));
  const asked: string[] = [];
  const applied = await applyByLibrary(team, {
    async approve({ shown }) {
      asked.push(...shown.changes.map(({ address }) => address));
      return false;
    },
  });
  expect([applied, asked]).toEqual([undefined, ["context.c0"]]);
  await expect(applyByLibrary(team, { digest: "1:0000000000000000000000" })).rejects.toMatchObject({
    code: "stale-plan",
  });
  expect(team.emulator.world.contexts).toHaveLength(0);
});

test("whoever names the plan by its digest has agreed to it, by command and by library", async () => {
  const team = await startTeam(`reviews: { require_approval: 1 }\n${contexts(1, 0)}`);
  await expect(applyByLibrary(team)).rejects.toMatchObject({ code: "not-approved" });
  const { digest } = await inLibrary(team, async (runtime) => {
    const { plan } = await planProject(runtime, await openProject(runtime));
    return plan;
  });
  const applied = await applyByLibrary(team, { digest });
  expect(applied?.outcome.results).toMatchObject([{ address: "context.c0", status: "applied" }]);
  expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
});

test("a project with errors is refused by the library with what is wrong, and where", async () => {
  const team = await startTeam("contexts:\n  desk: { name: Desk }\n");
  const error = await applyByLibrary(team).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "invalid-project", diagnostics: { valid: false } });
  expect(String(error)).toContain('avatarops.yaml:3: context.desk has no "prompt", which is required.');
});

function applyByLibrary(team: Team, options: ApplyOptions = {}) {
  return inLibrary(team, async (runtime) => applyProject(runtime, await openProject(runtime), options));
}

async function inLibrary<Result>(
  { repository: cwd, environment }: Team,
  work: (runtime: ReturnType<typeof createRuntime>) => Promise<Result>,
): Promise<Result> {
  const runtime = createRuntime({ cwd, environment });
  try {
    return await work(runtime);
  } finally {
    await closeRuntime(runtime);
  }
}
