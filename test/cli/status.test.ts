import { utimes } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { matchText, type Project, startAndApply, startProject } from "./hosting.js";
import { commit, git } from "./in-git.js";

const files = {
  "avatarops.yaml": `contexts:
  desk: { name: Desk, prompt: Be kind. }
  night: { name: Night, prompt: Be quiet. }
environments:
  staging: { state: staging.json }
  production: { needs: [staging], state: production.json }
secrets: { llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_KEY } }
`,
  ".gitignore": "*.json*\n",
};

async function startAppliedProject(where: "in git" | "" = ""): Promise<Project> {
  const project = await startProject({ files, environment: { LLM_KEY: "one" } });
  if (where) {
    git(project, "init", "--quiet");
    commit(project);
  }
  for (const env of ["staging", "production"])
    expect(await project.avatarops("apply", "-y", "--env", env)).toMatchObject({ exit: 0 });
  return project;
}

const ofProduction = ["status", "--env", "production"];

async function readStatus(project: Project, ...argv: string[]) {
  const { exit, stdout } = await project.avatarops(...argv, "--format", "json");
  return { code: exit, ...JSON.parse(stdout) };
}

describe("plan of an environment that needs another", () => {
  const plan = ["plan", "--env", "production"];

  test("recommends applying the other environment first, as apply does", async () => {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", files["avatarops.yaml"].replace("Be kind.", "Be brief."));
    const first = "Apply staging first: `avatarops apply --env staging`";
    const planned = await project.avatarops(...plan);
    expect(planned).toMatchObject({ exit: 0, stdout: matchText(first) });
    expect((await project.json(...plan)).notices).toMatchObject([
      { code: "needs", message: expect.stringContaining("context.desk") },
    ]);
    await project.expectRefused(["apply", "-y", "--env", "production"], first, 7);
    await project.expectDone("apply", "-y", "--env", "staging");
    expect((await project.json(...plan)).notices).toEqual([]);
    await project.expectDone("apply", "-y", "--env", "production");
  });

  test("shows which changes apply skips because of a hold in the other environment", async () => {
    const project = await startAppliedProject();
    await project.expectDone("hold", "--reason", "legal check", "context.desk", "--env", "staging");
    git(project, "init", "--quiet");
    await project.write("avatarops.yaml", files["avatarops.yaml"].replace("Be kind.", "Be brief."));
    commit(project);
    expect(await project.avatarops("apply", "-y", "--env", "staging")).toMatchObject({ exit: 3 });
    const planned = await project.json(...plan);
    expect(planned.changes).toMatchObject([
      { address: "context.desk", held: expect.stringContaining("A hold in staging") },
    ]);
    expect(planned.notices).toEqual([]);
    expect(await project.avatarops("apply", "-y", "--env", "production")).toMatchObject({ exit: 3 });
  });

  test("shows a warning if it cannot read the other environment", async () => {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", files["avatarops.yaml"].replace("Be kind.", "Be brief."));
    await project.write("staging.json", "{");
    const planned = await project.avatarops(...plan);
    expect(planned).toMatchObject({
      exit: 0,
      stderr: matchText("It is unknown whether the required environments are up to date."),
    });
  });
});

describe("status", () => {
  test("returns exit code 0 if nothing differs, and shows objects and the last change", async () => {
    const project = await startAppliedProject("in git");
    const { emulator } = project;
    const writes = () => emulator.requests.filter(({ method }) => method !== "GET").length;
    const sent = writes();
    const ran = await project.avatarops(...ofProduction);
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    const lines = ran.stdout.split("\n").map((line) => line.trim().replace(/\s{2,}/, ": "));
    const head = git(project, "rev-parse", "--short=10", "HEAD");
    expect(lines).toEqual(
      expect.arrayContaining([
        "environment: production",
        `service: ${emulator.url}`,
        "managed: 3 objects: contexts 2, secrets 1",
        ...["to apply", "drifted", "on hold"].map((name) => `${name}: nothing`),
        ...["state: production.json, serial 1", "locked: no", "behind: no"],
      ]),
    );
    expect(ran.stdout).toContain(head);
    expect(writes()).toBe(sent);
    expect(await readStatus(project, ...ofProduction)).toMatchObject({
      ...{ format: "avatarops/status", code: 0, exit: "nothing", environment: "production" },
      last_change: { command: "avatarops apply", commit: { modified: false } },
      managed: { contexts: 2, secrets: 1 },
      ...{
        pending: [],
        drifted: [],
        rotation_pending: [],
        holds: [],
        behind: [],
        needs: [],
        unsettled: [],
        superseded: [],
      },
    });
  });

  test("lists pending, drifted, held, superseded and missing objects of a required environment", async () => {
    const project = await startAppliedProject();
    await project.avataropsWith({ environment: { LLM_KEY: "two" } }, "apply", "-y", "--env", "production");
    const { emulator } = project;
    emulator.editContext("Night", { prompt: "Edited elsewhere." });
    await project.avatarops("hold", "context.night", "--reason", "legal check", "--env", "production");
    await project.write("avatarops.yaml", files["avatarops.yaml"].replace("Be kind.", "Be short."));
    const shown = await readStatus(project, ...ofProduction);
    expect(shown).toMatchObject({
      ...{ code: 2, exit: "changes", pending: ["context.desk"] },
      ...{ drifted: ["context.night"] },
      holds: [{ addresses: ["context.night"], reason: "legal check" }],
      needs: [{ environment: "staging", addresses: ["context.desk"] }],
      superseded: [{ address: "secret.llm", id: emulator.world.secrets.at(-2)?.id }],
    });
    const { stdout } = await project.avatarops(...ofProduction);
    expect(stdout).toEqual(matchText("required environment staging does not have context.desk yet"));
    expect(stdout).toEqual(matchText("legal check"));
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("reports a secret rotated at its source, as drift does", async () => {
    const project = await startAppliedProject();
    const environment = { LLM_KEY: "two" };
    const ran = await project.avataropsWith({ environment }, ...ofProduction, "--format", "json");
    expect([ran.exit, JSON.parse(ran.stdout)]).toMatchObject([
      2,
      { exit: "changes", pending: [], drifted: [], rotation_pending: ["secret.llm"] },
    ]);
    const { stdout } = await project.avataropsWith({ environment }, ...ofProduction);
    expect(stdout).toEqual(matchText("rotated 1 object: secret.llm (not sent yet)"));
    expect(await project.avataropsWith({ environment }, "drift", "--env", "production")).toMatchObject({
      exit: 2,
    });
  });

  test.for([
    ["another source", "!env LLM_KEY", "!env OTHER"],
    ["a higher version", "!env LLM_KEY, secret_value_version: 1", "!env LLM_KEY, secret_value_version: 2"],
  ] as const)("counts %s for a secret as a pending change", async ([, before, after]) => {
    const secret = (value: string) =>
      `secrets:\n  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: ${value} }\n`;
    const project = await startAndApply({
      files: { "avatarops.yaml": secret(before) },
      environment: { LLM_KEY: "one", OTHER: "two" },
    });
    expect(await project.avatarops("status")).toMatchObject({ exit: 0 });
    await project.write("avatarops.yaml", secret(after));
    const pending = { exit: 2, stdout: matchText("to apply 1 object: secret.llm") };
    expect(await project.avatarops("status")).toMatchObject(pending);
    // Needs no API key, because the comparison does not read the account.
    const unasked = { environment: { AVATAROPS_API_KEY: undefined } };
    expect(await project.avataropsWith(unasked, "status")).toMatchObject(pending);
  });

  test("reports a secret that cannot be compared and gives the reason", async () => {
    const project = await startAppliedProject();
    const ran = await project.avataropsWith({ environment: { LLM_KEY: undefined } }, ...ofProduction);
    expect(ran.stdout).toEqual(
      matchText("not compared secret.llm: It is unknown whether the value changed."),
    );
  });

  test("shows the lock owner and an applied commit that is not checked out", async () => {
    const project = await startAppliedProject("in git");
    await project.write("avatarops.yaml", files["avatarops.yaml"].replace("Be kind.", "Be short."));
    commit(project);
    await project.avatarops("apply", "-y", "--env", "staging");
    git(project, "reset", "--quiet", "--hard", "HEAD~1");
    const lock = { id: "1f0a4e0a", pid: 4711, host: "runner-7", since: new Date().toISOString() };
    await project.write("staging.json.lock", JSON.stringify({ ...lock, command: "avatarops apply" }));
    const shown = await readStatus(project, "status", "--env", "staging");
    expect(shown).toMatchObject({
      ...{ code: 2, locked_by: { command: "avatarops apply", pid: 4711, host: "runner-7" } },
      behind: [expect.stringContaining("context.desk")],
    });
    const { stdout } = await project.avatarops("status", "--env", "staging");
    expect(stdout).toEqual(matchText("by avatarops apply, process 4711 on runner-7"));
  });

  test("reports a lock even if the state does not exist yet, as plan and drift do", async () => {
    const project = await startProject({ files, environment: { LLM_KEY: "one" } });
    const lock = { id: "1f0a4e0a", pid: 4711, host: "runner-7", since: new Date().toISOString() };
    for (const [text, locked, shown] of [
      [JSON.stringify({ ...lock, command: "avatarops apply" }), "by avatarops apply", "is locked by"],
      ['{"schema":"theirs/9"}', "staging.json.lock cannot be read", "staging.json.lock cannot be read"],
    ] as const) {
      await project.write("staging.json.lock", text);
      // Makes the lock old, because a recent lock without an owner may still be incomplete.
      await utimes(path.join(project.folder, "staging.json.lock"), 1, 1);
      const { stdout } = await project.avatarops("status", "--env", "staging");
      expect(stdout).toEqual(matchText("staging.json, not written yet"));
      expect(stdout.replace(/\s+/g, " ")).toMatch(new RegExp(` locked .*${locked}`));
      for (const [command, exit] of [
        ["plan", 0],
        ["drift", 1],
      ] as const)
        expect(await project.avatarops(command, "--env", "staging")).toMatchObject({
          ...{ exit, stderr: matchText(shown) },
        });
    }
  });

  test("shows all objects as pending without a state, and drift as unknown if the API key is missing or rejected", async () => {
    const fresh = await startProject({ files, environment: { LLM_KEY: "one" } });
    expect(await readStatus(fresh, "status")).toMatchObject({
      ...{ code: 2, managed: {}, pending: ["secret.llm", "context.desk", "context.night"].sort() },
    });
    const project = await startAppliedProject();
    const asked = project.emulator.requests.length;
    const keyless = { environment: { AVATAROPS_API_KEY: undefined } };
    const offline = await project.avataropsWith(keyless, ...ofProduction);
    expect(offline).toMatchObject({ exit: 0, stdout: matchText("unknown: reading the account needs") });
    expect(project.emulator.requests.length).toBe(asked);
    project.emulator.addFault("GET /v1/contexts 401 times=always");
    expect(await readStatus(project, ...ofProduction)).toMatchObject({
      ...{ code: 1, exit: "unreadable", drift_unknown: expect.stringContaining("key") },
    });
  });
});

test("counts drifted, conflicting and held objects in status the same way as in plan and drift", async () => {
  const names = ["drifted", "conflicting", "held", "changed"];
  const write = (prompt: string) =>
    `contexts:\n${names.map((one, at) => `  ${one}: { name: ${one}, prompt: ${at > 0 ? prompt : "One."} }\n`).join("")}`;
  const project = await startAndApply({ files: { "avatarops.yaml": write("One.") } });
  await project.write("avatarops.yaml", write("Two."));
  for (const name of ["drifted", "conflicting"]) project.emulator.editContext(name, { prompt: "Edited." });
  await project.expectDone("hold", "context.held", "--reason", "legal check");
  expect(await project.json("status")).toMatchObject({
    ...{ pending: ["context.changed"], drifted: ["context.drifted"] },
    ...{ conflicting: ["context.conflicting"], held: ["context.held"] },
  });
  const { stdout: planned } = await project.avatarops("plan");
  expect(planned).toEqual(
    matchText("1 to update, 1 skipped (drifted), 1 skipped (conflicting), 1 skipped (held); 0 unchanged."),
  );
  const { stdout: all } = await project.avatarops("status", "--all");
  expect(all).toEqual(matchText("1 to apply, 1 drifted, 1 conflicting, 1 held"));
  const { stdout: drift } = await project.avatarops("drift");
  expect(drift).toEqual(matchText("2 edited elsewhere (1 conflicting); 2 as last applied."));
  const { stdout: applied } = await project.avatarops("apply", "-y");
  expect(applied).toEqual(matchText("1 applied, 3 skipped"));
});
