// @module-tag ci
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { followFor, listPrompts, readOutcomes, startTeam } from "./team.js";

const formatDesk = (prompt: string) =>
  `contexts:\n  desk: { name: Desk, prompt: ${JSON.stringify(prompt)} }\n`;

describe("sync cycle", () => {
  test("applies a commit once and logs nothing more if nothing changes", async () => {
    const team = await startTeam("include: [more.yaml]\n");
    await team.commit({ "more.yaml": formatDesk("Be kind.") });
    const { log, ran } = await followFor(team, 6, async (cycle) => {
      if (cycle === 3) await team.commit({ "more.yaml": formatDesk("Be kinder.") });
    });
    expect(ran.exit).toBe(0);
    expect(readOutcomes({ log })).toEqual(["applied", "unchanged", "applied", "unchanged"]);
    expect(listPrompts(team)).toEqual(["Be kinder."]);
    const writes = team.emulator.requests.filter(({ method }) => method !== "GET");
    expect(writes.map(({ method }) => method)).toEqual(["POST", "PATCH"]);
    expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  });

  test("reads the files and the account only once, even if it applies changes", async () => {
    const team = await startTeam("include: [desk.ts]\n");
    const runs = path.join(team.repository, "..", "runs");
    await team.commit({
      "desk.ts": `import { appendFileSync } from "node:fs";
import { Context, Project } from "avatarops";
appendFileSync(${JSON.stringify(runs)}, "run\\n");
const project = new Project();
new Context(project, "desk", { name: "Desk", prompt: "Be kind." });
export default project;
`,
    });
    const { log } = await followFor(team, 1, undefined, "--allow-code");
    expect(readOutcomes({ log }), JSON.stringify(log)).toEqual(["applied"]);
    expect(readFileSync(runs, "utf8")).toBe("run\n");
    expect(team.emulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v1/contexts",
      "POST /v1/contexts",
    ]);
  });

  test("waits for active sessions before it changes a context, without holding the lock", async () => {
    const team = await startTeam("include: [desk.yaml]\nservice: { wait_for_idle: 10m }\n");
    const commit = (prompt: string) => team.commit({ "desk.yaml": formatDesk(prompt) });
    await commit("Be kind.");
    const ready: number[] = [];
    const { log } = await followFor(team, 6, async (cycle, { log: soFar }) => {
      if (cycle === 1) {
        team.emulator.addSession();
        await commit("Be kinder.");
      }
      if (cycle === 3) {
        expect(listPrompts(team)).toEqual(["Be kind."]);
        // Exit code 7, and not 6, shows that the lock is free.
        expect(await team.atDesk("apply", "-y", "--timeout", "0s")).toMatchObject({ exit: 7 });
        await commit("Be very kind.");
      }
      if (cycle === 4) team.emulator.world.sessions.splice(0);
      ready.push((await fetch(`${soFar[0]?.listens_on}/readyz`)).status);
    });
    expect(readOutcomes({ log }), JSON.stringify(log)).toEqual([
      "applied",
      "waiting",
      "waiting",
      "applied",
      "unchanged",
    ]);
    const [entry] = log.filter(({ outcome }) => outcome === "waiting");
    expect(entry?.problems).toMatchObject([{ code: "sessions-active" }]);
    expect(ready.every((status) => status === 200)).toBe(true);
    const writes = team.emulator.requests.filter(({ method }) => method !== "GET");
    expect(writes.map(({ method }) => method)).toEqual(["POST", "PATCH"]);
    expect(listPrompts(team)).toEqual(["Be very kind."]);
  });

  test("skips a dashboard edit with `drift: refuse`, applies the rest, and keeps reporting the edit", async () => {
    const team = await startTeam("include: [more.yaml]\n");
    await team.commit({
      "more.yaml": `${formatDesk("Be kind.")}  night: { name: Night, prompt: Whisper. }\n`,
    });
    const { log } = await followFor(team, 6, async (cycle) => {
      if (cycle === 2) team.emulator.editContext("Desk", { prompt: "Edited." });
      if (cycle === 4)
        await team.commit({
          "more.yaml": `${formatDesk("Be kind.")}  night: { name: Night, prompt: Sing. }\n`,
        });
    });
    expect(listPrompts(team)).toEqual(["Edited.", "Sing."]);
    expect(readOutcomes({ log }).at(-1)).toBe("drifted");
    const entries = log.filter(({ outcome }) => outcome === "drifted");
    expect(entries.every(({ drifted }) => drifted === 1)).toBe(true);
    expect(entries[0]?.problems).toMatchObject([
      {
        code: "drifted",
        address: "context.desk",
        message: expect.stringContaining("Edited in the dashboard"),
      },
    ]);
  });

  test("records an edit merged into the files, so that the next commit causes no conflict", async () => {
    const team = await startTeam("include: [more.yaml]\n");
    await team.commit({ "more.yaml": formatDesk("Be kind.") });
    const { log } = await followFor(team, 6, async (cycle) => {
      if (cycle === 1) team.emulator.editContext("Desk", { prompt: "Edited." });
      if (cycle === 2) await team.commit({ "more.yaml": formatDesk("Edited.") });
      if (cycle === 3) await team.commit({ "more.yaml": formatDesk("Edited twice.") });
    });
    expect(listPrompts(team)).toEqual(["Edited twice."]);
    expect(readOutcomes({ log })).toEqual(["applied", "drifted", "unchanged", "applied", "unchanged"]);
  });

  test("reports the location of errors in the files, and keeps the last good commit applied", async () => {
    const rules = "policies: { forbidden-phrases: { phrases: [cheap] } }\n";
    const team = await startTeam(`${rules}drift: overwrite\ninclude: [more.yaml]\n`);
    await team.commit({ "more.yaml": formatDesk("Be kind.") });
    const { log, text } = await followFor(team, 6, async (cycle) => {
      if (cycle === 1) {
        await team.commit({
          "more.yaml": `${formatDesk("A new prompt that nobody may see.")}    promt: x\n`,
        });
        team.emulator.editContext("Desk", { prompt: "Edited." });
      }
      if (cycle === 3) await team.commit({ "more.yaml": formatDesk("It is cheap, and nobody may see it.") });
      if (cycle === 4) await team.commit({ "more.yaml": formatDesk("Be kinder.") });
    });
    const entries = log.filter(({ outcome }) => outcome === "invalid");
    expect(entries[0]?.problems?.[0]).toMatchObject({
      location: expect.stringMatching(/^more\.yaml:\d+:\d+$/),
    });
    expect(entries[0]?.changes).toEqual([{ address: "context.desk", action: "update", status: "applied" }]);
    expect(entries.at(-1)?.problems).toMatchObject([
      { code: "forbidden-phrases", location: expect.stringMatching(/^more\.yaml:2:\d+$/) },
    ]);
    expect(listPrompts(team)).toEqual(["Be kinder."]);
    expect(text()).not.toContain("nobody may see");
  });

  test("skips an object with an unknown create outcome until a person decides", async () => {
    const settings =
      "secrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }\n";
    const team = await startTeam(`${settings}include: [more.yaml]\n`, {
      environment: { LLM_API_KEY: "key-one-12345" },
    });
    await team.commit({ "more.yaml": formatDesk("Be kind.") });
    team.emulator.addFault("POST /v1/secrets drop-after");
    const { log, text } = await followFor(team, 5, async (cycle) => {
      if (cycle === 2) await team.commit({ "more.yaml": formatDesk("Be kinder.") });
      if (cycle === 4) {
        const decided = await team.atDesk("apply", "--auto-approve", "--accept-duplicate", "secret.llm");
        expect(decided).toMatchObject({ exit: 0 });
      }
    });
    expect(readOutcomes({ log }).slice(0, 2)).toEqual(["partly", "ambiguous"]);
    expect(readOutcomes({ log }).at(-1)).toBe("unchanged");
    // Expects the create whose response was lost, and the duplicate that the user accepted.
    expect(
      team.emulator.requests.filter(({ path, method }) => path === "/v1/secrets" && method === "POST"),
    ).toHaveLength(2);
    expect(listPrompts(team)).toEqual(["Be kinder."]);
    expect(text()).not.toContain("key-one-12345");
  });

  test("applies nothing that exceeds a threshold until a person decides", async () => {
    const many = (prompt: string) =>
      `contexts:\n${Array.from({ length: 12 }, (_, i) => `  c${i}: { name: C${i}, prompt: ${prompt} }\n`).join("")}`;
    const team = await startTeam("include: [more.yaml]\n");
    await team.commit({ "more.yaml": many("One") });
    const { log } = await followFor(team, 4, async (cycle) => {
      if (cycle === 2) await team.commit({ "more.yaml": many("Two") });
    });
    expect(readOutcomes({ log }).at(-1)).toBe("refused");
    expect(log.at(-3)?.problems).toMatchObject([{ code: "threshold" }]);
    // A process counts as ready even if its first plan is rejected, because it could read files, state and account.
    const ready: number[] = [];
    const later = await followFor(team, 2, async (_, { log: [started] }) => {
      ready.push((await fetch(`${started?.listens_on}/readyz`)).status);
    });
    expect([readOutcomes(later), ready[0]]).toEqual([["refused"], 200]);
    expect(new Set(listPrompts(team))).toEqual(new Set(["One"]));
  });

  test("does not run code from the repository without --allow-code", async () => {
    const team = await startTeam("include: [more.config.ts]\n");
    const code = `import { Context, Project } from "avatarops";
const project = new Project();
new Context(project, "desk", { name: "Desk", prompt: "Be kind." });
export default project;
`;
    await team.commit({ "more.config.ts": code });
    const refused = await followFor(team, 1);
    expect(refused.log.find(({ outcome }) => outcome === "invalid")?.problems).toMatchObject([
      { code: "code-not-allowed", location: expect.stringContaining("avatarops.yaml:") },
    ]);
    expect(listPrompts(team)).toEqual([]);
    await followFor(team, 1, undefined, "--allow-code");
    expect(listPrompts(team)).toEqual(["Be kind."]);
    // Changed code runs again in the same process.
    await followFor(
      team,
      2,
      async (cycle) => {
        if (cycle === 1) await team.commit({ "more.config.ts": code.replace("kind", "kinder") });
      },
      "--allow-code",
    );
    expect(listPrompts(team)).toEqual(["Be kinder."]);
  });

  test.each([
    [
      "a command without --allow-code",
      'fingerprint_key: !exec ["touch", "ran"]\nstate: git+refs://origin/avatarops/state\n',
      "code-not-allowed",
    ],
    ["a state that would be lost with the checkout", formatDesk("Be kind."), "state-not-shared"],
  ])("rejects %s", async (_, text, code) => {
    const team = await startTeam("");
    await team.commit({ "avatarops.yaml": text });
    const { log } = await followFor(team, 1);
    expect(log.find(({ outcome }) => outcome === "invalid")?.problems).toMatchObject([{ code }]);
    expect(team.emulator.requests).toEqual([]);
  });
});

describe("sync repository", () => {
  test("recovers from a force-push, a missing branch and an outage", async () => {
    const team = await startTeam("include: [more.yaml]\n");
    await team.commit({ "more.yaml": formatDesk("One") });
    const { log } = await followFor(team, 10, async (cycle) => {
      if (cycle === 1) {
        await team.commit({ "more.yaml": formatDesk("Two") });
      }
      if (cycle === 2) {
        team.git("reset", "--quiet", "--hard", "HEAD~1");
        await team.commit({ "more.yaml": formatDesk("Three") });
      }
      if (cycle === 3) team.git("branch", "--quiet", "--move", "main", "other");
      if (cycle === 4) team.git("branch", "--quiet", "--move", "other", "main");
      if (cycle === 6) await team.setAway(true);
      if (cycle === 8) await team.setAway(false);
    });
    const codes = log.flatMap(({ problems = [] }) => problems.map(({ code }) => code));
    expect(codes).toEqual(["branch-missing", "unreachable", "unreachable"]);
    expect(team.emulator.requests.filter(({ method }) => method !== "GET")).toHaveLength(3);
    expect(listPrompts(team)).toEqual(["Three"]);
    expect(readOutcomes({ log }).at(-1)).toBe("unchanged");
  });

  test("can contain the project in a subfolder, but a project outside the repository is rejected", async () => {
    const team = await startTeam("");
    const state = team.git("show", "HEAD:avatarops.yaml");
    await team.commit({ "team/avatars/avatarops.yaml": `${state}\n${formatDesk("Be kind.")}` });
    await followFor(team, 1, undefined, "--path", "team/avatars");
    expect(listPrompts(team)).toEqual(["Be kind."]);
    for (const folder of ["..", "none", "team/../../.."]) {
      const { log } = await followFor(team, 1, undefined, "--path", folder);
      expect(readOutcomes({ log })).toEqual(["failed"]);
    }
  });

  test("is rejected if its URL contains a password or its branch name is invalid", async () => {
    const team = await startTeam("");
    const tries = [
      ["--repo", "https://user:secret@git.example.com/a.git"],
      ["--repo", "https://token@git.example.com/a.git"],
      ["--branch", "--upload-pack=touch"],
      ["--branch", "a..b"],
    ];
    for (const args of tries) expect((await team.follow({}, ...args).ended).exit).toBe(1);
  });
});

describe("sync replicas", () => {
  test("stay ready while another run owns the lock, and apply after its release", async () => {
    const team = await startTeam(formatDesk("Be kind."));
    const name = "/api/v4/projects/1/terraform/state/production";
    const lock = {
      ID: "terraform",
      Operation: "apply",
      Info: "",
      Who: "somebody",
      Version: "1",
      Created: "now",
      Path: "",
    };
    team.backend.states.set(name, { serials: new Set(), lock });
    const ready: number[] = [];
    const { log } = await followFor(team, 4, async (cycle, { log }) => {
      if (cycle === 2) team.backend.states.delete(name);
      ready.push((await fetch(`${log[0]?.listens_on}/readyz`)).status);
    });
    expect(readOutcomes({ log })).toEqual(["locked", "applied", "unchanged"]);
    expect(ready).toEqual([200, 200, 200, 200]);
    expect(listPrompts(team)).toEqual(["Be kind."]);
  });

  test("write each commit at most once", async () => {
    const team = await startTeam("include: [more.yaml]\n");
    await team.commit({ "more.yaml": formatDesk("0") });
    const commits = 3;
    let made = 0;
    const each = async (cycle: number) => {
      if (cycle % 3 === 0 && made < commits) await team.commit({ "more.yaml": formatDesk(String(++made)) });
    };
    const both = await Promise.all([followFor(team, 13, each), followFor(team, 13)]);
    expect(listPrompts(team)).toEqual([String(commits)]);
    const writes = team.emulator.requests.filter(({ method }) => method !== "GET");
    // A commit that is replaced before it is read is not applied.
    expect(writes.length).toBeLessThanOrEqual(commits + 1);
    expect(new Set(writes.map(({ body }) => JSON.stringify(body))).size).toBe(writes.length);
    for (const { log } of both) expect(log.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  });
});
