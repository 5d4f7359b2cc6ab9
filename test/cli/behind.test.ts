import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { write } from "../git/repositories.js";
import { credentials, gitlabPath, startHttpBackend } from "../stores/http-backend.js";
import { startClones } from "./clones.js";
import { type CommandResult, expectSuccess, matchText, runIn } from "./hosting.js";

/** Pads a prompt so that it is recorded as a digest. */
const padText = (text: string) => `${text} ${"Answer callers politely and briefly. ".repeat(8)}\n`;

const formatContexts = (more = "") => `contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md, opening_text: Hi }
  night: { name: Night, prompt: Sleep well., opening_text: Good night }
${more}`;

/** Starts a team and applies its first prompt. */
async function startTeam() {
  const backend = await startHttpBackend("gitlab");
  onTestFinished(() => backend.close());
  const stateOf = (name: string) => `http://127.0.0.1:${backend.port}${gitlabPath}/${name}`;
  const manifest = (more = "") => `state: ${stateOf("support")}\n${formatContexts(more)}`;
  const { first, emulator, ...team } = await startClones(
    { "avatarops.yaml": manifest(), "prompts/desk.md": padText("First."), ".gitignore": ".avatarops/\n" },
    { folder: "bots/support", environment: credentials },
  );
  const ana = {
    ...first,
    /** Commits another prompt and applies it. */
    async change(text: string) {
      const made = first.commit({ "prompts/desk.md": padText(text) });
      await first.apply();
      return made;
    },
  };
  await ana.apply();
  const texts = () =>
    Object.fromEntries(
      emulator.world.contexts.map(({ name, prompt, opening_text }) => [
        name,
        [prompt.slice(0, 12), opening_text],
      ]),
    );
  return { ...team, emulator, ana, texts, manifest, stateOf };
}

const listNotices = (ran: CommandResult): { code: string; message: string }[] =>
  JSON.parse(ran.stdout).notices;

async function listNoticeCodes(
  run: (...argv: string[]) => Promise<CommandResult>,
  ...argv: string[]
): Promise<string[]> {
  const ran = await expectSuccess(run("plan", "--format", "json", ...argv));
  return listNotices(ran).map(({ code }) => code);
}

describe("checkout without the last applied commit", () => {
  test("is reported by plan and rejected by apply before any write", async () => {
    const { ana, clone, emulator, texts, manifest } = await startTeam();
    const ben = clone("Ben");
    const applied = await ana.change("Second.");
    ana.push();
    ben.commit({ "avatarops.yaml": manifest().replace("Good night", "Sleep tight") });

    const planned = await ben.run("plan", "--out", "plan.json");
    const [first] = planned.stdout.split("\n\n");
    expect(planned).toMatchObject({ exit: 0 });
    expect(first).toEqual(
      matchText(`Applying would revert context.desk.prompt to the value before serial 2`),
    );
    expect(first).toEqual(matchText(applied.slice(0, 10)));
    expect(first).toEqual(matchText("git pull"));
    expect(first).not.toContain("context.night");

    const asked = emulator.requests.length;
    const refused = await ben.run("apply", "plan.json");
    expect(refused, refused.stdout).toMatchObject({ exit: 7, stderr: matchText("--allow behind") });
    expect(refused.stderr).toEqual(matchText("Applying would revert context.desk.prompt"));
    expect(emulator.requests.slice(asked).filter(({ method }) => method !== "GET")).toEqual([]);
    expect(texts()).toMatchObject({ Desk: ["Second. Answ", "Hi"], Night: ["Sleep well.", "Good night"] });

    // Other changes can still be applied.
    await ben.apply("--target", "context.night");
    expect(texts()).toMatchObject({ Desk: ["Second. Answ", "Hi"], Night: ["Sleep well.", "Sleep tight"] });
    // Even after Ben's apply, the account's prompt is newer than his.
    expect(await ben.run("apply", "-y")).toMatchObject({ exit: 7, stderr: matchText("context.desk.prompt") });

    ben.git("pull", "--quiet", "--rebase", "origin", "main");
    expect(await listNoticeCodes(ben.run)).not.toContain("behind");
    await ben.apply();
    expect(texts()).toMatchObject({ Desk: ["Second. Answ", "Hi"], Night: ["Sleep well.", "Sleep tight"] });
  });

  test("cannot forget or unprotect a colleague's object", async () => {
    const { ana, clone, manifest } = await startTeam();
    const ben = clone("Ben");
    const more = "  late: { name: Late, prompt: Too late., protect: true }\n";
    const text = manifest(more).replace("opening_text: Hi", "opening_text: Hi, protect: true");
    ana.commit({ "avatarops.yaml": text });
    await ana.apply();
    const refused = await ben.run("apply", "-y");
    expect(refused).toMatchObject({
      exit: 7,
      stderr: matchText("Applying would revert context.desk.protect"),
    });
    ana.commit({ "avatarops.yaml": text.replaceAll(", protect: true", "") });
    await ana.apply();
    const gone = await ben.run("apply", "-y");
    expect(gone).toMatchObject({ exit: 7, stderr: matchText("Applying would forget context.late") });
  });

  test("is rejected by apply even if its changes would merge cleanly", async () => {
    const { ana, clone, texts } = await startTeam();
    const lines = (...lines: string[]) => ({ "prompts/desk.md": padText(lines.join("\n")) });
    ana.commit(lines("One", "Two", "Three", "Four"));
    await ana.apply();
    ana.push();
    const ben = clone("Ben");
    const applied = ana.commit(lines("First", "Two", "Three", "Four"));
    await ana.apply();
    ana.push();
    ben.commit(lines("One", "Two", "Three", "Four", "Five"));
    for (const quiet of [[], ["-q"]]) {
      const { exit, stderr } = await ben.run("apply", "-y", ...quiet);
      expect([exit, stderr]).toEqual([
        7,
        matchText(
          `Applying would overwrite the value of context.desk.prompt from serial 3 (commit ${applied.slice(0, 10)}, applied by Ana on `,
        ),
      ]);
      expect(stderr).toEqual(
        matchText(
          `Get it with \`git pull\`, or merge it. To apply anyway: \`avatarops ${["apply", "-y", ...quiet].join(" ")} --allow behind\`.`,
        ),
      );
    }
    expect(texts()).toMatchObject({ Desk: ["First\nTwo\nTh", "Hi"] });
    ben.git("pull", "--quiet", "--rebase", "origin", "main");
    await ben.apply();
    expect(texts()).toMatchObject({ Desk: ["First\nTwo\nTh", "Hi"] });
    expect(await ben.run("show", "context.desk")).toMatchObject({ stdout: matchText("Five") });
  });

  test("is reported by review --dry-run until the commit is pushed", async () => {
    const { ana, clone, manifest } = await startTeam();
    const ben = clone("Ben");
    await ana.change("Second.");
    // Reports the unpushed commit before the changes.
    const { stdout, exit } = await ben.run("review", "--dry-run");
    expect(exit).toBe(0);
    expect(stdout.indexOf("to the value before serial 2")).toBeGreaterThan(0);
    expect(stdout.indexOf("Applying would revert")).toBeLessThan(stdout.indexOf("<blockquote>"));
    ana.push();
    ben.commit({ "avatarops.yaml": manifest().replace("Good night", "Sleep tight") });
    const own = await ben.run("review", "--dry-run");
    ben.git("fetch", "--quiet", "origin");
    const ofHost = ["--repo", "https://github.com/team/avatars", "--pull-request", "7"];
    const unknown = await ben.run("review", "--dry-run", ...ofHost);
    expect(unknown.stderr).toEqual(
      matchText("because its origin is unknown: The code host requires a token"),
    );
    for (const { exit, stdout } of [own, unknown]) {
      expect([exit, stdout]).toEqual([0, matchText("1 to update; 1 unchanged")]);
      expect(stdout).toContain("Sleep tight");
      expect(stdout).toMatch(/, merged with `?(main|[0-9a-f]{10})`? at /);
      expect(stdout).not.toContain("Applying would revert");
    }
  });

  test("allows a rollback and is then no longer behind", { tags: "night" }, async () => {
    const { ana, clone, texts } = await startTeam();
    const ben = clone("Ben");
    await ana.change("Second.");
    await expectSuccess(ben.run("rollback", "--to", "1", "-y"));
    expect(texts()).toMatchObject({ Desk: ["First. Answe", "Hi"] });
    expect(await listNoticeCodes(ben.run)).not.toContain("behind");
  });

  test("cannot overwrite a dashboard edit that a colleague pulled but has not merged", async () => {
    const { ana, clone, emulator, texts } = await startTeam();
    const ben = clone("Ben");
    emulator.editContext("Desk", { opening_text: "Half price today" });
    expect(await ana.run("pull")).toMatchObject({ exit: 0 });
    for (const options of [[], ["-q"]])
      expect(await ben.run("apply", "-y", ...options)).toMatchObject({
        exit: 7,
        stderr: matchText("This dashboard edit was pulled, but no commit here contains it"),
      });
    expect(texts()).toMatchObject({ Desk: ["First. Answe", "Half price today"] });
    ana.git("commit", "--quiet", "--all", "--message=pulled");
    ana.push();
    ben.git("pull", "--quiet", "origin", "main");
    await ben.apply();
    // Overwriting the second edit requires `--allow behind`.
    emulator.editContext("Desk", { opening_text: "All is free" });
    expect(await ana.run("pull")).toMatchObject({ exit: 0 });
    await ben.apply("--allow", "behind");
    expect(texts()).toMatchObject({ Desk: ["First. Answe", "Half price today"] });
  });
});

describe("apply from a shallow clone", () => {
  /** Pushes an applied prompt and then a revert of it, and makes a shallow clone of the last commit. */
  async function startShallow() {
    const { ana, clone, texts } = await startTeam();
    await ana.change("Second.");
    ana.push();
    ana.commit({ "prompts/desk.md": padText("First.") }, "Revert");
    ana.push();
    const shallow = clone("Ben", "--depth=1");
    const isShallow = () => shallow.git("rev-parse", "--is-shallow-repository") === "true";
    return { shallow, isShallow, texts };
  }

  test("is rejected until the history is fetched, even with --quiet", async () => {
    const { shallow, isShallow, texts } = await startShallow();
    const planned = await shallow.run("plan", "--format", "json");
    expect(listNotices(planned)).toContainEqual({
      code: "behind",
      message: matchText("This clone is shallow, so it is unknown whether it contains that commit"),
    });
    for (const options of [[], ["-q"]]) {
      const refused = await shallow.run("apply", "-y", ...options);
      expect(refused).toMatchObject({ exit: 7, stderr: matchText("Run `git fetch --unshallow` first.") });
      expect(refused.stderr).toEqual(matchText("Applying would revert context.desk.prompt"));
    }
    expect([texts().Desk, isShallow()]).toEqual([["Second. Answ", "Hi"], true]);
    shallow.git("fetch", "--quiet", "--unshallow");
    await shallow.apply();
    expect(texts().Desk).toEqual(["First. Answe", "Hi"]);
  });

  test("fetches the missing history in a CI job", async () => {
    const { shallow, isShallow, texts } = await startShallow();
    await expectSuccess(shallow.runWith({ GITHUB_ACTIONS: "true" }, "apply", "-y"));
    expect([texts().Desk, isShallow()]).toEqual([["First. Answe", "Hi"], false]);
  });

  test.for([
    ["GITHUB_ACTIONS", "Set `fetch-depth: 0` in the actions/checkout step."],
    ["GITLAB_CI", 'Set `GIT_DEPTH: "0"` in the job `variables`.'],
  ] as const)("is rejected in a %s job that cannot fetch the history", async ([mark, setting]) => {
    const { shallow, texts } = await startShallow();
    shallow.git("remote", "set-url", "origin", "file:///nowhere");
    const refused = await shallow.runWith({ [mark]: "true" }, "apply", "-y", "-q");
    expect(refused).toMatchObject({ exit: 7, stderr: matchText(setting) });
    expect(texts().Desk).toEqual(["Second. Answ", "Hi"]);
  });
});

describe("outdated checkout check", () => {
  test("accepts an applied commit that was amended", { tags: "night" }, async () => {
    const { ana } = await startTeam();
    await ana.change("Second.");
    write(ana.inProject, "prompts/desk.md", padText("Third."));
    ana.git("commit", "--quiet", "--all", "--amend", "--no-edit");
    expect(await listNoticeCodes(ana.run)).toEqual([]);
    await ana.apply();
  });

  test("accepts a revert, a later edit and uncommitted changes", async () => {
    const { ana } = await startTeam();
    await ana.change("Second.");
    ana.git("revert", "--no-edit", "HEAD");
    expect(await listNoticeCodes(ana.run)).toEqual([]);
    await ana.apply();
    write(ana.inProject, "prompts/desk.md", padText("Tried."));
    await ana.apply();
    write(ana.inProject, "prompts/desk.md", padText("First."));
    expect(await listNoticeCodes(ana.run)).toEqual([]);
    await ana.apply();
  });

  test("accepts a squash merge of applied commits and a later revert", {
    tags: "night",
  }, async () => {
    const { ana, clone, manifest } = await startTeam();
    ana.git("checkout", "--quiet", "-b", "feature");
    ana.commit({ "prompts/desk.md": padText("Second.") });
    ana.commit({ "avatarops.yaml": manifest().replace("Good night", "Sleep tight") });
    await ana.apply();
    const ben = clone("Ben");
    ben.commit({ "README.md": "Something else.\n" });
    ben.git("fetch", "--quiet", ana.root, "feature");
    ben.git("merge", "--quiet", "--squash", "FETCH_HEAD");
    ben.git("commit", "--quiet", "--message=squashed");
    expect(await listNoticeCodes(ben.run)).toEqual([]);
    const squashed = ben.git("rev-parse", "HEAD");
    ben.commit({ "prompts/desk.md": padText("Third.") });
    expect(await listNoticeCodes(ben.run)).toEqual([]);
    ben.git("reset", "--quiet", "--hard", squashed);
    ben.git("revert", "--no-edit", "HEAD");
    expect(await listNoticeCodes(ben.run)).toEqual([]);
    await ben.apply();
  });

  test("accepts a restored field only if the checkout's history contains the field's removal (a squash merge counts)", async () => {
    const { ana, clone, manifest } = await startTeam();
    const [ben, cara] = [clone("Ben"), clone("Cara")];
    ana.commit({ "avatarops.yaml": manifest().replace(", opening_text: Hi", "") });
    await ana.apply();
    ben.git("fetch", "--quiet", ana.root, "main");
    ben.git("merge", "--quiet", "--squash", "FETCH_HEAD");
    ben.git("commit", "--quiet", "--message=squashed");
    ben.commit({ "avatarops.yaml": manifest().replace("opening_text: Hi", "opening_text: Welcome") });
    expect(await listNoticeCodes(ben.run)).toEqual([]);
    const refused = await cara.run("apply", "-y");
    expect(refused).toMatchObject({
      exit: 7,
      stderr: matchText("Applying would revert context.desk.opening_text"),
    });
  });

  test.each([
    [
      "main.ts",
      "",
      (state: string) => `import { Context, Project, promptFile } from "avatarops";
const project = new Project({ state: ${JSON.stringify(state)} });
new Context(project, "desk", { name: "Desk in code", prompt: promptFile("texts/desk.md") });
export default project;
`,
    ],
    [
      "main.yaml",
      "---\nname: Desk behind a link\n---\n",
      (state: string) => `state: ${state}\ninclude: ["linked/*.md"]\n`,
    ],
  ])(
    "accepts a squash merge of an edit to a prompt file that %s refers to",
    {
      tags: "night",
    },
    async (file, head, manifestWith) => {
      const { ana, clone, stateOf } = await startTeam();
      const [ben, cara] = [clone("Ben"), clone("Cara")];
      for (const who of [ana, cara]) {
        mkdirSync(path.join(who.inProject, "linked"));
        symlinkSync("../texts/desk.md", path.join(who.inProject, "linked/desk.md"));
        who.commit({ [file]: manifestWith(stateOf("other")), "texts/desk.md": head + padText("First.") });
      }
      await ana.apply("-f", file);
      ana.commit({ "texts/desk.md": head + padText("Second.") });
      await ana.apply("-f", file);
      ben.git("fetch", "--quiet", ana.root, "main");
      ben.git("merge", "--quiet", "--squash", "FETCH_HEAD");
      ben.git("commit", "--quiet", "--message=squashed");
      ben.commit({ "texts/desk.md": head + padText("Third.") });
      expect(await listNoticeCodes(ben.run, "-f", file)).not.toContain("behind");
      expect(await listNoticeCodes(cara.run, "-f", file)).toContain("behind");
    },
  );

  test("ignores another project in the repository that has its own state", { tags: "night" }, async () => {
    const { ana, clone, stateOf, environment } = await startTeam();
    const ben = clone("Ben");
    const other = (text: string) =>
      `state: ${stateOf("other")}\ncontexts: { desk: { name: Other, prompt: ${text} } }\n`;
    ben.commit({ "../other/avatarops.yaml": other("One") });
    const run = (...argv: string[]) => runIn(path.join(ben.root, "bots/other"), argv, { environment });
    expect(await run("apply", "-y")).toMatchObject({ exit: 0 });
    await ana.change("Second.");
    ben.commit({ "../other/avatarops.yaml": other("Two") });
    expect(await listNoticeCodes(run)).toEqual(["undeclared-objects"]);
    expect(await run("apply", "-y")).toMatchObject({ exit: 0 });
  });
});
