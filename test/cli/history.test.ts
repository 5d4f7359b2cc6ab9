import { hostname, userInfo } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { execute } from "../installing.js";
import {
  createStopper,
  expectSuccess,
  matchText,
  type Project,
  startAndApply,
  startProject,
} from "./hosting.js";
import {
  change,
  commit,
  forgetTexts,
  git,
  padText,
  readPromptAt,
  startAppliedInTurn,
  startRepository,
} from "./in-git.js";

const formatManifest = (prompt: string) =>
  `contexts:\n  desk: { name: Desk, prompt: ${JSON.stringify(prompt)}, opening_text: Hi }\n`;

async function readRecords(project: Project): Promise<Record<string, unknown>[]> {
  const text = await project.read(".avatarops/state.json.history");
  return text.split(/\n(?=.)/).map((line) => JSON.parse(line));
}

test("records an apply's user, host and commit, and adds no record if nothing changes", async () => {
  const project = await startProject({ files: { "avatarops.yaml": formatManifest("Be polite.") } });
  git(project, "init", "--quiet", "-b", "main");
  const first = commit(project);
  const ci = {
    environment: {
      GITHUB_ACTIONS: "true",
      GITHUB_SERVER_URL: "https://x:token@github.example",
      GITHUB_REPOSITORY: "team/avatars",
      GITHUB_RUN_ID: "42",
      GITHUB_ACTOR: "Ada <ada@example.com>",
    },
  };
  expect(await project.avataropsWith(ci, "apply", "-y")).toMatchObject({ exit: 0 });
  await project.expectDone("apply", "-y");
  await project.write("avatarops.yaml", formatManifest("Be brief."));
  await project.expectDone("apply", "-y");
  expect(await readRecords(project)).toMatchObject([
    {
      ...{ serial: 1, command: "avatarops apply" },
      by: {
        ...{ user: "Ada", host: "test-host", ci: "GitHub Actions" },
        run: "https://github.example/team/avatars/actions/runs/42",
      },
      definitions: { commit: first, modified: false, folder: "", file: "avatarops.yaml" },
      results: [{ address: "context.desk", action: "create", status: "applied", reason: "new" }],
      objects: { "context.desk": { after: { applied: { name: "Desk" } } } },
    },
    {
      serial: 2,
      definitions: { commit: first, modified: true },
      objects: { "context.desk": { before: { applied: { prompt: "Be polite." } } } },
    },
  ]);
});

test("records no commit for an apply outside a repository or before its first commit", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": formatManifest("Be polite.") } });
  git(project, "init", "--quiet");
  await project.write("avatarops.yaml", formatManifest("Be brief."));
  await project.expectDone("apply", "-y");
  expect((await readRecords(project)).map(({ definitions }) => definitions)).toEqual([undefined, undefined]);
});

test.each([
  [
    "GitLab CI/CD",
    { GITLAB_CI: "true", GITLAB_USER_LOGIN: "mia", CI_JOB_URL: "https://gitlab.example/t/a/-/jobs/7" },
    "https://gitlab.example/t/a/-/jobs/7",
  ],
  [
    "Gitea Actions",
    {
      ...{ GITEA_ACTIONS: "true", GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: "http://gitea.example:3000" },
      ...{ GITHUB_REPOSITORY: "t/a", GITHUB_RUN_ID: "913", GITHUB_RUN_NUMBER: "7", GITHUB_ACTOR: "mia" },
    },
    "http://gitea.example:3000/t/a/actions/runs/7?by_index=1",
  ],
  [
    "CI",
    { CI: "1", USER: "mia", BUILD_URL: "https://user:secret@ci.example/run/7?token=abc#log" },
    "https://ci.example/run/7",
  ],
  ["CI", { CI: "1", LOGNAME: "mia", BUILD_URL: "javascript:alert(1)" }, undefined],
])("records the user and run URL of %s without credentials", async (ci, environment, run) => {
  const project = await startProject({ files: { "avatarops.yaml": formatManifest("Be polite.") } });
  expect(await project.avataropsWith({ environment }, "apply", "-y")).toMatchObject({ exit: 0 });
  const [record] = await readRecords(project);
  expect(record?.by).toEqual({ ci, user: "mia", host: "test-host", ...(run ? { run } : {}) });
});

test("records the operating system user for an apply outside a repository", async () => {
  const { folder, emulator, ...project } = await startProject({
    files: { "avatarops.yaml": formatManifest("Be polite.") },
  });
  const env = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key", HOME: folder };
  const command = [findBuilt(), "apply", "-y"];
  expect(await execute(process.execPath, command, { cwd: folder, env })).toMatchObject({ exit: 0 });
  const { stdout } = await project.avatarops("history");
  expect(stdout).toContain(`by ${userInfo().username}, on ${hostname()}`);
});

describe("history", () => {
  test("lists records newest first and compares prompts word by word", async () => {
    const project = await startRepository();
    const second = await change(project, padText("Second."));
    const third = await change(project, padText("Third."));
    const { records: listed } = await project.json("history");
    expect(listed).toMatchObject([
      { serial: 3, commit: { id: third, modified: false }, changes: [{ address: "context.desk" }] },
      { serial: 2, commit: { id: second }, changes: [{ effect: "changed", action: "update" }] },
      { serial: 1, changes: [{ effect: "added", action: "create", status: "applied" }] },
    ]);
    const text = await project.avatarops("history", "--limit", "2");
    expect(text.stdout).toMatch(
      /^Serial 3 .*avatarops apply\n.*\n +commit .*\n +changed {2}context\.desk {2}prompt \(251 → 250 characters\)\n\nSerial 2 /,
    );
    expect(text.stdout).not.toMatch(/^Serial 1 /m);
    const diff = await project.avatarops("history", "context.desk", "--diff");
    expect(diff.stdout).toContain("[-First-]{+Second+}.");
    expect(diff.stdout).toContain("[-Second-]{+Third+}.");
    const markdown = await project.avatarops("history", "context.desk", "--diff", "--format", "markdown");
    expect(markdown.stdout).toContain("<del>Second</del><strong> Third</strong>. You answer");
  });

  test("follows an object through `state mv`", async () => {
    const project = await startAppliedInTurn(padText("Second."));
    const moved = (await project.read("avatarops.yaml")).replace("desk:", "night:");
    await project.write("avatarops.yaml", moved);
    await project.expectDone("state", "mv", "context.desk", "context.night");
    await project.write("prompts/desk.md", `${padText("Third.")}\n`);
    await project.expectDone("apply", "-y");
    const { records: listed } = await project.json("history", "context.night");
    expect(listed).toMatchObject([
      { serial: 4, changes: [{ address: "context.night", effect: "changed" }] },
      { serial: 3, command: "avatarops state mv", moved: { from: "context.desk", to: "context.night" } },
      { serial: 2, changes: [{ address: "context.desk", effect: "changed" }] },
      { serial: 1, changes: [{ address: "context.desk", effect: "added" }] },
    ]);
    const { stdout } = await project.avatarops("history", "context.night", "--diff");
    expect(stdout).toContain("[-Second-]{+Third+}.");
    expect(stdout).toContain("[-First-]{+Second+}.");
    expect(await readPromptAt(project, "2", "context.night")).toBe(padText("Second."));
    // The object keeps its id, so nothing was added or removed.
    const output = (await project.avatarops("history", "--limit", "2")).stdout;
    expect(output).toContain("context.desk is now context.night");
    expect(output).not.toMatch(/added|removed/);
  });

  test("reports missing and damaged records and shows all other records", {
    tags: "night",
  }, async () => {
    const project = await startRepository();
    for (const name of ["Second.", "Third.", "Fourth."]) await change(project, padText(name));
    const file = ".avatarops/state.json.history";
    const [first = "", , third = "", fourth = ""] = (await project.read(file)).split("\n");
    await project.write(
      file,
      [first, "torn", third.replace('"record":1', '"record":9'), fourth, ""].join("\n"),
    );
    const { records: listed } = await project.json("history");
    expect(listed).toMatchObject([
      { serial: 4 },
      { gap: "newer", from: 3, to: 3 },
      { gap: "damaged" },
      { gap: "missing", from: 2, to: 2 },
      { serial: 1 },
    ]);
    const { stdout } = await project.avatarops("history");
    expect(stdout).toContain("The record of serial 3 was written by a newer version of avatarops");
    expect(stdout).toContain("The record of serial 2 is missing.");
    // The prompt of serial 3 is in the next record. The prompt of serial 2 is not in any record.
    expect(await readPromptAt(project, "3")).toBe(padText("Third."));
    expect(await project.avatarops("show", "context.desk", "--at", "2")).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: matchText("History records are missing"),
    });
  });

  test("streams ten thousand records one by one", { tags: "night" }, async () => {
    const project = await startRepository();
    const file = ".avatarops/state.json.history";
    const record = JSON.parse(await project.read(file));
    const state = JSON.parse(await project.read(".avatarops/state.json"));
    const lines = Array.from(
      { length: 10_000 },
      (_, at) => `${JSON.stringify({ ...record, serial: at + 1 })}\n`,
    );
    await project.write(file, lines.join(""));
    await project.write(".avatarops/state.json", JSON.stringify({ ...state, serial: 10_000 }));
    const written: number[] = [];
    const ran = await project.avataropsWith(
      { onStdout: (text) => written.push(text.length) },
      ...["history", "--format", "json"],
    );
    expect(JSON.parse(ran.stdout).records).toHaveLength(10_000);
    expect(written).toHaveLength(10_001);
    expect((await project.json("history", "--limit", "3")).records).toHaveLength(3);
  });

  test("prints one JSON document after a stop signal", async () => {
    const project = await startRepository();
    const file = ".avatarops/state.json.history";
    const record = JSON.parse(await project.read(file));
    const state = JSON.parse(await project.read(".avatarops/state.json"));
    const lines = [1, 2, 3].map((serial) => `${JSON.stringify({ ...record, serial })}\n`);
    await project.write(file, lines.join(""));
    await project.write(".avatarops/state.json", JSON.stringify({ ...state, serial: 3 }));
    const { stop, onStoppable } = createStopper();
    const onStdout = () => stop("SIGTERM");
    const { exit, stdout } = await project.avataropsWith(
      { onStoppable, onStdout },
      ...["history", "--format", "json"],
    );
    expect([exit, JSON.parse(stdout)]).toMatchObject([130, { records: [{}] }]);
  });

  test("prints one JSON document for an unknown address", async () => {
    const project = await startRepository();
    const history = () => project.avatarops("history", "context.dask", "--format", "json");
    const unknown = await history();
    expect(unknown.exit).toBe(1);
    expect(JSON.parse(unknown.stdout)).toMatchObject({ format: "avatarops/error", code: "unknown-address" });

    const file = ".avatarops/state.json.history";
    await project.write(file, `${await project.read(file)}torn\n`);
    const damaged = await history();
    expect(damaged).toMatchObject({ exit: 1, stderr: matchText("error[unknown-address]") });
    expect(JSON.parse(damaged.stdout)).toMatchObject({
      format: "avatarops/history",
      records: [{ gap: "damaged" }],
    });
  });

  test("rejects an unknown address or serial and explains why", async () => {
    const project = await startRepository();
    for (const [argv, why] of [
      [["history", "--diff"], "--diff requires an address. Add one"],
      [["history", "desk"], "is not an address"],
      [["history", "context.dask"], "Neither the state nor its history contains context.dask"],
      [["show", "context.desk", "--at", "9"], "The state has no serial 9. Its only serial is 1"],
      [["show", "context.desk", "--at", "v7"], '"v7" is neither a serial of the state nor a commit'],
      [["show", "context.desk", "--at=--all"], '"--all" is neither a serial of the state nor a commit'],
      [["show", "context.dask"], "Did you mean context.desk?"],
    ] as const)
      expect(await project.avatarops(...argv)).toMatchObject({ exit: 1, stdout: "", stderr: matchText(why) });
  });
});

test("reports a missing or altered history record instead of showing its prompt", {
  tags: "night",
}, async () => {
  const project = await startRepository();
  await change(project, padText("Second."));
  const file = ".avatarops/state.json.history";
  await project.write(file, (await project.read(file)).replaceAll("First.", "Forged."));
  const lost = await project.avatarops("show", "context.desk", "--at", "1");
  expect(lost).toMatchObject({
    exit: 1,
    stdout: matchText("text not recorded"),
    stderr: matchText("no history record contains it"),
  });
  expect(lost.stdout).not.toMatch(/First|Forged/);
  expect(lost.stdout).toContain('"Desk"');
  await forgetTexts(project);
  const diff = await project.avatarops("history", "context.desk", "--diff");
  expect(diff.stdout).toEqual(matchText("text not shown: no history record contains it"));
});

test("records an apply that only overwrites a dashboard edit", async () => {
  const project = await startProject({ files: { "avatarops.yaml": formatManifest("Be polite.") } });
  git(project, "init", "--quiet", "-b", "main");
  commit(project);
  git(project, "config", "user.name", "Ada Berg");
  await project.expectDone("apply", "-y");
  project.emulator.editContext("Desk", { prompt: "Be rude." });
  const overwritten = await project.json("apply", "-y", "--overwrite-drift");
  expect(overwritten).toMatchObject({ state_serial: 2 });
  expect(await project.json("history", "context.desk")).toMatchObject({
    records: [
      {
        ...{ serial: 2, by: { user: "Ada Berg" } },
        changes: [
          {
            ...{ address: "context.desk", effect: "changed", overwritten: ["prompt"] },
            fields: [{ field: "prompt", before: "Be rude.", after: "Be polite." }],
          },
        ],
      },
      { serial: 1 },
    ],
  });
  const { stdout } = await project.avataropsWith({ columns: 200 }, "history");
  expect(stdout).toMatch(/changed {2}context\.desk {2}overwrote an edit made elsewhere {2}prompt/);
  expect(await project.avatarops("show", "context.desk", "--at", "2")).toMatchObject({
    stdout: matchText("Be polite."),
  });
  await project.expectDone("apply", "-y");
  expect(await readRecords(project)).toHaveLength(2);
});

test("records the prompts of exported, pulled and imported objects", async () => {
  const project = await startProject();
  project.emulator.addContext({ name: "Desk", prompt: padText("First.") });
  expect(await project.avatarops("export", "account")).toMatchObject({ exit: 0 });
  const run = async (...argv: string[]) => {
    const ran = await expectSuccess(
      project.avataropsWith({ cwd: path.join(project.folder, "account") }, ...argv),
    );
    return ran.stdout;
  };
  project.emulator.editContext("Desk", { prompt: padText("Second.") });
  await run("pull");
  expect(await run("history", "context.desk", "--diff")).toContain("[-First-]{+Second+}.");
  const { id } = project.emulator.addContext({ name: "Late", prompt: padText("Late.") });
  await run("import", "--write", "context.late", id);
  expect(await run("show", "context.late")).toEqual(matchText("Late. You answer callers"));
  // Imports the declared object again, after its prompt was removed from all records.
  await run("state", "forget", "context.late");
  await forgetTexts(project, "account");
  await run("import", "context.late", id);
  expect(await run("show", "context.late")).toEqual(matchText("Late. You answer callers"));
});

test("shows in the history whether a field was set or cleared", async () => {
  const project = await startProject();
  const apply = async (text: string) => {
    await project.write("avatarops.yaml", `contexts:\n  desk: { name: Desk, prompt: Be kind.${text} }\n`);
    await project.expectDone("apply", "-y");
  };
  for (const text of [", opening_text: Hello.", "", ", opening_text: Again."]) await apply(text);
  const { stdout } = await project.expectDone("history");
  const shown = stdout.split("\n").filter((line) => line.includes("changed"));
  expect(shown.map((line) => line.trim().replace(/^\W+/, ""))).toEqual([
    'changed  context.desk  opening_text "Again."',
    "changed  context.desk  opening_text cleared",
  ]);
  const [, { changes }] = (await project.json("history")).records;
  expect(changes).toMatchObject([{ fields: [{ field: "opening_text", before: "Hello.", after: "" }] }]);
});

test("shows in the history when protection was set or removed", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": formatManifest("Be polite.") } });
  await project.write(
    "avatarops.yaml",
    formatManifest("Be polite.").replace("opening", "protect: true, opening"),
  );
  await project.expectDone("apply", "-y");
  await project.write("avatarops.yaml", formatManifest("Be polite."));
  await project.expectDone("apply", "-y");
  const { stdout } = await project.avatarops("history", "context.desk");
  expect(stdout).toMatch(/context\.desk {2}no longer protected[\s\S]*context\.desk {2}now protected/);
});

test.each([
  ["TypeScript", "texts.ts", (text: string) => `export default { prompt: ${JSON.stringify(text)} };\n`],
  ["JSON", "texts.json", (text: string) => `${JSON.stringify({ prompt: text })}\n`],
  ["JavaScript", "texts.mjs", (text: string) => `export default { prompt: ${JSON.stringify(text)} };\n`],
])("records that an imported %s module differed from the commit", async (_language, file, format) => {
  const main = `import { Context, Project } from "avatarops";
import texts from "./${file}";
const project = new Project();
new Context(project, "desk", { name: "Desk", prompt: texts.prompt });
export default project;
`;
  const project = await startProject({ files: { "avatarops.config.ts": main } });
  git(project, "init", "--quiet", "-b", "main");
  git(project, "add", "avatarops.config.ts");
  git(project, "commit", "--quiet", "--message", "Add the project.");
  await project.write(file, format("Be polite."));
  if (file.endsWith(".mjs")) commit(project);
  await project.write(file, format("Be brief."));
  await project.expectDone("apply", "-y");
  commit(project);
  await project.write("notes.txt", "Not imported.\n");
  await project.write("avatarops.config.ts", main.replace('"Desk"', '"Front desk"'));
  git(project, "commit", "--quiet", "--all", "--message", "Rename it.");
  await project.expectDone("apply", "-y");
  expect(await readRecords(project)).toMatchObject([
    { definitions: { modified: true } },
    { definitions: { modified: false } },
  ]);
});
