/**
 * Checks that every way to change the account has the same gates. Terraform has only the gates that apply to a single
 * resource.
 */
import { cpSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { toExitCode } from "../../src/entrypoints/cli/exit-code.js";
import type { ApplyOptions } from "../../src/index.js";
import { allowableGates, refusals } from "../../src/operations/index.js";
import { expectSuccess, matchText, newFolder, runIn } from "../cli/hosting.js";
import { startEmulator } from "../documented-emulator.js";
import { git } from "../git/repositories.js";
import { followFor, startTeam, type Team } from "../sync/team.js";
import { startAccount, startRun } from "../terraform/unit/driving.js";
import {
  applyByCommand,
  applyByLibrary,
  applyMethods,
  type ChangeMethod,
  catchCode,
  formatContexts,
  otherMethods,
  rollBackByLibrary,
  runJson,
} from "./change-methods.js";

const pullRequest = { number: 7, url: "https://git.example.com/acme/avatars/pull/7" };

interface Gate {
  readonly settings?: string;
  /** Number of declared objects. */
  readonly count: number;
  /** Closes the gate once everything has been applied. */
  close(team: Team, commit: (changed: number, prompt?: string) => Promise<unknown>): Promise<unknown>;
  /** Options that open the gate. Without `allow`, only the library can open it. */
  readonly opens?: ApplyOptions;
  /** Change methods that the gate does not block. */
  readonly isOpenTo?: readonly string[];
  /** `sync` options. */
  readonly sync?: readonly string[];
  /** Cycle outcome. Default: "refused". */
  readonly outcome?: string;
  /** Test that the provider rejects the same change, or the documented reason why it has no such gate. */
  readonly terraform: string | (() => Promise<void>);
}

/** Expects Terraform to leave a managed context at another base URL unchanged. */
async function applyOtherServiceByTerraform(): Promise<void> {
  const context = { name: "desk", prompt: "Be kind." };
  const [first, other] = [
    await startAccount({ world: createEmptyDataset() }),
    await startAccount({ world: createEmptyDataset() }),
  ];
  const { kept } = await (await startRun(first)).apply("avatarops_context", context);
  const run = await startRun(other);
  const changed = { ...context, prompt: "Be brief." };
  const { diagnostics } = await run.apply("avatarops_context", changed, kept);
  expect(diagnostics).toMatchObject([{ severity: "error", summary: "The state belongs to another service" }]);
  expect(other.requests.filter(({ method }) => method !== "GET")).toEqual([]);
}

const gates: Readonly<Record<string, Gate>> = {
  threshold: {
    count: 10,
    close: (_, commit) => commit(4),
    isOpenTo: ["prune"],
    opens: { allow: ["threshold"] },
    terraform: "it sees one resource at a time",
  },
  "all-vanished": {
    count: 2,
    close: async ({ emulator }) => emulator.world.contexts.splice(0),
    opens: { allow: ["all-vanished"] },
    terraform: "it sees one resource at a time",
  },
  behind: {
    count: 1,
    async close(team, commit) {
      await commit(1);
      expect(await team.atDesk("apply", "-y")).toMatchObject({ exit: 0 });
      team.git("reset", "--hard", "--quiet", "HEAD~1");
    },
    isOpenTo: Object.keys(otherMethods),
    opens: { allow: ["behind"] },
    terraform: "its state records no commit",
  },
  held: {
    count: 1,
    async close(team, commit) {
      expect(await team.atDesk("hold", "--reason", "incident 42")).toMatchObject({ exit: 0 });
      await commit(1);
    },
    opens: { allow: ["held"] },
    outcome: "held",
    terraform: "holds are in the state of avatarops",
  },
  policy: {
    count: 1,
    close: (team) =>
      team.commit({
        "contexts.yaml": formatContexts(1, 1, "Be rude."),
        "judge.ts": `export default ({ changes }) =>
          changes.map(({ address }) => ({ address, message: "has a prompt that nobody may have" }));\n`,
        "avatarops.yaml": `${readFileSync(`${team.repository}/avatarops.yaml`, "utf8")}policies: { functions: [judge.ts] }\n`,
      }),
    sync: ["--allow-code"],
    // A plan that fails a policy is not saved, and policies for the files do not block a rollback.
    isOpenTo: ["apply PLAN", ...Object.keys(otherMethods)],
    terraform: "it reads no manifest",
  },
  "not-approved": {
    count: 1,
    // The first commit was applied before approvals were required.
    close: (team) =>
      team.commit({
        "contexts.yaml": formatContexts(1, 1),
        "avatarops.yaml": `${readFileSync(`${team.repository}/avatarops.yaml`, "utf8")}reviews: { require_approval: 1 }\n`,
      }),
    isOpenTo: ["apply PLAN", "apply --digest", ...Object.keys(otherMethods)],
    opens: { reviewed: async () => [pullRequest] },
    terraform: "it reads no manifest",
  },
  "sessions-active": {
    settings: "service: { profile: liveavatar, wait_for_idle: 1s }\n",
    count: 1,
    async close({ emulator }, commit) {
      emulator.addSession();
      await commit(1);
    },
    outcome: "waiting",
    terraform: "it reads no manifest",
  },
  "other-project": {
    count: 1,
    async close(team, commit) {
      await commit(1);
      // A copy of the project takes over the state.
      const cwd = path.join(await newFolder(), "desk");
      cpSync(team.repository, path.join(cwd, "copy"), { recursive: true });
      rmSync(path.join(cwd, "copy/.git"), { recursive: true });
      git(cwd, "init", "--quiet");
      const take = ["state", "replace-project", "-y"];
      await expectSuccess(runIn(path.join(cwd, "copy"), take, { environment: team.environment }));
    },
    terraform: "its state is Terraform's",
  },
  "other-service": {
    count: 1,
    async close(team, commit) {
      await commit(1);
      const other = await startEmulator({ world: createEmptyDataset() });
      onTestFinished(() => other.close());
      Object.assign(team.environment, { AVATAROPS_BASE_URL: other.url });
    },
    outcome: "failed",
    terraform: applyOtherServiceByTerraform,
  },
};

test.each(Object.entries(gates))("%s gate blocks every way to change the account", async (code, gate) => {
  const { settings = "service: { profile: liveavatar }\n", count, close, opens, isOpenTo = [] } = gate;
  const { outcome = "refused", sync = [], terraform } = gate;
  if (typeof terraform === "function") await terraform();
  else expect(readFileSync("docs/terraform.md", "utf8")).toContain(`| \`${code}\` | No: ${terraform}`);
  const emulator = { profile: "liveavatar" } as const;
  const begun = await startTeam(`include: [contexts.yaml]\n${settings}`, { emulator });
  const team = ["behind", "other-project"].includes(code) ? begun : await copyWithoutGit(begun);
  const commit = (changed: number, prompt?: string) =>
    team.commit({ "contexts.yaml": formatContexts(count, changed, prompt) });
  for (const changed of [count, 0]) {
    await commit(changed, "Be quick.");
    expect(await team.atDesk("apply", "-y", "--allow", "threshold")).toMatchObject({ exit: 0 });
  }
  await close(team, commit);
  const sent = team.emulator.requests.length;

  for (const [way, run] of Object.entries({ ...applyMethods, ...otherMethods }))
    if (!isOpenTo.includes(way)) expect([way, await run(team)]).toEqual([way, code]);
  const otherGates = allowableGates.filter((gate) => gate !== code);
  expect(await applyByCommand(team, "apply", "-y", ...toArguments(otherGates))).toBe(code);
  const { log } = await followFor(team, 1, undefined, ...sync);
  expect(log.find(({ msg }) => msg === "cycle")?.outcome, JSON.stringify(log)).toBe(outcome);
  expect(team.emulator.requests.slice(sent).filter(({ method }) => method !== "GET")).toEqual([]);

  if (!opens) return;
  if (opens.allow) await expectSuccess(team.atDesk("apply", "-y", ...toArguments(opens.allow)));
  else await applyByLibrary(team, opens);
  expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  await rollBackByLibrary(team, opens);
  const restored = team.emulator.world.contexts.filter(({ prompt }) => prompt === "Be quick.");
  expect(restored).toHaveLength(count);
});

function toArguments(allow: readonly string[]): string[] {
  return allow.flatMap((code) => ["--allow", code]);
}

test("allows only five gates to be overridden with --allow", async () => {
  const final = [
    ...["names-exchanged", "not-approved", "not-reviewed", "other-project", "policy", "sessions-active"],
    "stale-plan",
  ];
  expect(Object.keys(refusals).sort()).toEqual([...allowableGates, ...final].sort());
  const [folder, choices] = [await newFolder(), allowableGates.join(", ")];
  for (const code of [...final, "read-only", "other-service", "untrusted-job", "locked"])
    expect(await runIn(folder, ["apply", "--allow", code])).toMatchObject({
      exit: 1,
      stderr: matchText(`'${code}' is invalid. Allowed choices are ${choices}.`),
    });
});

test("maps the error codes of the gates to exit code 7, with three exceptions", () => {
  const otherCodes = Object.keys(refusals).filter((code) => toExitCode(code, false) !== 7);
  expect(otherCodes.map((code) => [code, toExitCode(code, false)])).toEqual([
    ["names-exchanged", 1],
    ["other-project", 1],
    ["stale-plan", 5],
  ]);
});

/** Replaces the clone with a copy without git, because running git takes most of the time. */
async function copyWithoutGit(team: Team): Promise<Team> {
  const repository = path.join(await newFolder(), "desk");
  const isOurs = (file: string) => !file.includes(`${path.sep}.git`);
  const copy = () => cpSync(team.repository, repository, { recursive: true, filter: isOurs });
  copy();
  const { environment } = team;
  return {
    ...{ ...team, repository, atDesk: (...argv) => runIn(repository, argv, { environment }) },
    async commit(files) {
      const made = await team.commit(files);
      copy();
      return made;
    },
  };
}

test("rejects an apply to production through the command, the library and sync until staging is current", {
  tags: "night",
}, async () => {
  const account = await startEmulator({ world: createEmptyDataset() });
  onTestFinished(() => account.close());
  const stateAt = (name: string) => `git+refs://origin/avatarops/${name}`;
  const team = await startTeam(
    `include: [contexts.yaml]\nenvironments:\n  staging: { state: ${stateAt("staging")} }\n  production: { needs: [staging], service: { base_url: ${account.url} } }\n`,
    // The files contain production's base URL.
    { environment: { AVATAROPS_ALLOW_HOSTS: "127.0.0.1" } },
  );
  team.git("remote", "add", "origin", team.repository);
  team.git("config", "receive.denyCurrentBranch", "ignore");
  const writes = () => account.requests.filter(({ method }) => method !== "GET").length;
  const staging = () => team.atDesk("apply", "-y", "--env", "staging");
  await team.commit({ "contexts.yaml": formatContexts(2, 0) });
  expect(await staging()).toMatchObject({ exit: 0 });
  await expectSuccess(team.atDesk("apply", "-y", "--env", "production"));

  await team.commit({ "contexts.yaml": formatContexts(2, 1) });
  const sent = writes();
  const env = "production";
  const { library: _, ...commands } = applyMethods;
  for (const [way, run] of Object.entries(commands))
    expect([way, await run(team, "--env", env)]).toEqual([way, "needs"]);
  const byLibrary = (options = {}) => applyByLibrary(team, options, { options: { env } });
  await expect(byLibrary()).rejects.toMatchObject({
    ...{ code: "needs", message: expect.stringContaining("context.c0") },
  });
  const { log } = await followFor(team, 1, undefined, "--env", env, "--unpinned");
  expect(log.find(({ msg }) => msg === "cycle")).toMatchObject({
    outcome: "refused",
    problems: [{ code: "needs" }],
  });
  expect(writes()).toBe(sent);

  // Both jobs start at the same time. The reviewed plan waits and is rejected if staging takes too long.
  const reviewed = (lockTimeout: number) => {
    const messages: string[] = [];
    const output = { info: (text: string) => void messages.push(text) };
    const given = { options: { env, lockTimeout }, output };
    return { applied: applyByLibrary(team, { reviewed: async () => [pullRequest] }, given), messages };
  };
  await expect(reviewed(10).applied).rejects.toMatchObject({ code: "needs" });
  const waiting = reviewed(600_000);
  await expect.poll(() => waiting.messages).toEqual(["Waiting until staging is up to date (context.c0)."]);
  expect(writes()).toBe(sent);
  expect(await staging()).toMatchObject({ exit: 0 });
  expect((await waiting.applied)?.outcome.results).toMatchObject([
    { address: "context.c0", status: "applied" },
  ]);
  expect(waiting.messages).toHaveLength(1);

  // Squashing puts the same files into another commit.
  await team.commit({ "contexts.yaml": formatContexts(2, 2) });
  expect(await staging()).toMatchObject({ exit: 0 });
  team.git("commit", "--quiet", "--amend", "--message", "Squashed");
  expect(await team.atDesk("apply", "-y", "--env", "production")).toMatchObject({ exit: 0 });

  // An apply to staging fails halfway.
  await team.commit({ "contexts.yaml": formatContexts(2, 2, "Be warm.") });
  team.emulator.addFault("PATCH /v1/contexts/* 400");
  expect((await staging()).exit).toBe(3);
  expect(await team.atDesk("apply", "-y", "--env", "production")).toMatchObject({
    ...{ exit: 7, stderr: expect.stringContaining("error[needs]") },
  });
  const applied = await byLibrary({ allow: ["needs"] });
  expect(applied?.outcome.results.map(({ status }) => status)).toEqual(["applied", "applied"]);
});

test("applies nothing through the library if the `approve` callback returns false or the digest is stale", async () => {
  const team = await startTeam(formatContexts(1, 0));
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

test("requires no recorded approval to apply a plan given by file or digest", async () => {
  const team = await startTeam("include: [contexts.yaml]\nreviews: { require_approval: 1 }\n");
  const byLibrary: ChangeMethod = async () =>
    catchCode(applyByLibrary(team, { digest: (await runJson(team, "plan")).digest }));
  for (const [at, way] of [applyMethods["apply PLAN"], applyMethods["apply --digest"], byLibrary].entries()) {
    await team.commit({ "contexts.yaml": formatContexts(1, 1, `Be ${at}.`) });
    expect(await applyMethods.library?.(team)).toBe("not-approved");
    expect(await way?.(team)).toBeUndefined();
    expect(team.emulator.world.contexts).toMatchObject([{ prompt: `Be ${at}.` }]);
  }
});

test("rejects an invalid project in the library and reports the file and line of each error", async () => {
  const team = await startTeam("contexts:\n  desk: { name: Desk }\n");
  const error = await applyByLibrary(team).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "invalid-project", diagnostics: { valid: false } });
  expect(String(error)).toContain('avatarops.yaml:3: context.desk is missing "prompt".');
});
