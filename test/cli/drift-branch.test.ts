import { chmodSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { git, newFolder, write } from "../git/repositories.js";
import { branch, pushFile, startTeam } from "./drift-hosting.js";
import { matchText } from "./hosting.js";

const support = "contexts/support.md";
const formatPrompt = (text: string) => `---\nname: Support desk\n---\n${text}\n`;
const conflict = expect.stringContaining("It changed both in the files and in the account.");

test("suggests --branch if drift --pull-request finds no code host", async () => {
  const team = await startTeam("github");
  team.project.emulator.editContext("Sales desk", { opening_text: "Hello!" });
  const refused = await team.project.avatarops("drift", "--pull-request");
  expect(refused).toMatchObject({
    exit: 1,
    stderr: matchText("use `--branch NAME` instead of `--pull-request`"),
  });
  expect(await team.project.avatarops("drift", "--branch", "edits")).toMatchObject({ exit: 2 });
  expect(team.file("edits", "avatarops.yaml")).toContain("Sales desk");
});

describe("drift --pull-request branch", () => {
  test("is not changed while it has unmerged commits by other people", async () => {
    const team = await startTeam("github");
    const { emulator } = team.project;
    emulator.editContext("Support desk", { prompt: "Be vry polite." });
    const { number } = await team.propose();
    const clone = team.colleague();
    git(clone, "checkout", "--quiet", branch);
    const theirs = pushFile(clone, branch, support, formatPrompt("Be very polite."));
    emulator.editContext("Sales desk", { opening_text: "Hello!" });
    expect(await team.propose()).toMatchObject({
      ...{ exit: 2, result: "unchanged", number, written: [] },
      notes: [expect.stringContaining("Others pushed to the branch")],
    });
    expect([team.commits(branch)[0], team.pulls()]).toMatchObject([theirs, [{ open: true }]]);
    team.merge(branch);
    expect(await team.propose()).toMatchObject({
      ...{ exit: 2, result: "opened", written: [{ address: "context.sales" }] },
      refused: [{ address: "context.support", field: "prompt", reason: conflict }],
    });
    expect(team.commits(branch)).toHaveLength(1);
  });

  test("is updated without running code pushed to the drift branch", async () => {
    const team = await startTeam("github");
    const { emulator, folder } = team.project;
    emulator.editContext("Sales desk", { opening_text: "Hello!" });
    expect(await team.propose()).toMatchObject({ result: "opened" });
    const clone = team.colleague();
    git(clone, "checkout", "--quiet", branch);
    const proof = path.join(folder, "run-by-the-job");
    const code = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(proof)}, "");\n`;
    write(clone, "evil.ts", code);
    const including = team.file(branch, "avatarops.yaml").replace(".md]", ".md, evil.ts]");
    pushFile(clone, branch, "avatarops.yaml", including);
    emulator.editContext("Support desk", { prompt: "Be livelier." });
    expect(await team.propose()).toMatchObject({ exit: 2, result: "unchanged" });
    expect(team.project.has("run-by-the-job")).toBe(false);
  });

  test("keeps commits by other people, and is recreated once those commits are merged", {
    tags: "night",
  }, async () => {
    const team = await startTeam("gitea");
    const { emulator } = team.project;
    emulator.editContext("Support desk", { prompt: "Be very polite." });
    const clone = team.colleague();
    const theirs = pushFile(clone, branch, "notes.txt", "Mine\n");
    expect(await team.run("drift", "--pull-request")).toMatchObject({
      exit: 1,
      stderr: matchText(`The branch ${branch} has commits by others and no open pull request`),
    });
    expect([team.commits(branch), team.pulls()]).toEqual([[theirs], []]);
    team.merge(branch);
    expect(await team.propose()).toMatchObject({ exit: 2, result: "opened" });
    expect(team.commits(branch)).toHaveLength(1);
    expect(await team.propose("--branch", "other/name")).toMatchObject({ result: "opened" });
    expect(team.pulls().map(({ head }) => head)).toEqual([branch, "other/name"]);
  });

  test("targets the branch given with --base", { tags: "night" }, async () => {
    const team = await startTeam("github");
    git(team.colleague(), "push", "--quiet", "origin", "HEAD:refs/heads/release");
    team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    expect(await team.propose("--base", "release")).toMatchObject({ exit: 2, result: "opened" });
    expect(team.pulls()).toMatchObject([{ head: branch, base: "release" }]);
  });

  test("is created only once by two concurrent runs, along with one pull request", {
    tags: "night",
  }, async () => {
    const team = await startTeam("github");
    team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    const both = await Promise.all([team.propose(), team.propose()]);
    expect(both.map(({ exit, number }) => [exit, number])).toEqual([
      [2, team.pulls()[0]?.number],
      [2, team.pulls()[0]?.number],
    ]);
    expect([team.pulls().length, team.commits(branch).length]).toEqual([1, 1]);
    // On Gitea, both runs can open a pull request. The first one is kept.
    const [first] = team.pulls();
    if (first) team.pulls().push({ ...first, number: first.number + 1 });
    expect(await team.propose()).toMatchObject({ number: first?.number });
    expect(team.pulls().map(({ open }) => open)).toEqual([true, false]);
  });

  test("is not created if a git filter encrypts the changed file", async () => {
    const team = await startTeam("github");
    team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    pushFile(team.colleague(), "main", ".gitattributes", "contexts/** filter=git-crypt\n");
    expect(await team.run("drift", "--pull-request")).toMatchObject({
      exit: 1,
      stderr: matchText(
        `A git filter applies to ${support} (see .gitattributes), and avatarops does not run filters. In a clone, write these texts with \`avatarops pull\` or by hand, and commit them.`,
      ),
    });
    expect(team.pulls()).toEqual([]);
  });

  test("is read again if it changes between reading and pushing", { tags: "night" }, async () => {
    const team = await startTeam("github");
    team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    await team.propose();
    const clone = team.colleague();
    git(clone, "checkout", "--quiet", branch);
    team.project.emulator.editContext("Sales desk", { opening_text: "Hello!" });
    let theirs: string | undefined;
    // drift reads the branch before the pull request, so the first GET request comes between reading and pushing.
    team.host.before = (request) => {
      if (theirs === undefined && request.startsWith("GET"))
        theirs = pushFile(clone, branch, "notes.txt", "Mine\n");
    };
    expect(await team.propose()).toMatchObject({ exit: 2, result: "unchanged" });
    expect(team.commits(branch)[0]).toBe(theirs);
  });

  test("counts as pushed if the response is lost, but not if the push is rejected", async () => {
    const team = await startTeam("gitlab");
    team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    const bin = newFolder();
    const real = git(bin, "--exec-path");
    // Reports the first push as failed, although it succeeds.
    write(
      bin,
      "git",
      `#!/bin/sh\n"${real}/git" "$@" || exit $?\ncase " $* " in *" push "*) [ -e ${bin}/lost ] || { touch ${bin}/lost; exit 128; };; esac\n`,
      0o755,
    );
    const environment = { PATH: `${bin}${path.delimiter}${process.env.PATH}` };
    const ran = await team.runWith({ environment }, "drift", "--pull-request", "--format", "json");
    expect(JSON.parse(ran.stdout)).toMatchObject({ pull_request: { result: "opened" } });
    expect([team.pulls().length, team.commits(branch).length]).toEqual([1, 1]);
    write(team.origin, "hooks/pre-receive", "#!/bin/sh\necho protected >&2; exit 1\n", 0o755);
    chmodSync(path.join(team.origin, "hooks/pre-receive"), 0o755);
    team.project.emulator.editContext("Sales desk", { opening_text: "Hello!" });
    expect(await team.run("drift", "--pull-request")).toMatchObject({
      exit: 1,
      stderr: matchText("protected"),
    });
    expect(team.pulls()).toHaveLength(1);
  });

  test("omits an edit if main already contains it together with other changes", async () => {
    const team = await startTeam("github");
    team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    pushFile(team.colleague(), "main", support, formatPrompt("Be very polite. Be brief."));
    expect(await team.propose("context.support")).toMatchObject({ result: "none", written: [], refused: [] });
  });

  test("omits fields that also changed on main, unless their object is named on the command line", {
    tags: "night",
  }, async () => {
    const team = await startTeam("github");
    team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    team.project.emulator.editContext("Sales desk", { opening_text: "Hello!" });
    const clone = team.colleague();
    pushFile(clone, "main", support, formatPrompt("Be kind."));
    // Compares with the base branch instead of the older working tree.
    const opened = await team.propose();
    expect(opened).toMatchObject({
      written: [{ address: "context.sales" }],
      refused: [{ address: "context.support", field: "prompt", reason: conflict }],
    });
    expect(team.pulls()[0]?.body).toContain("Left out:");
    expect(await team.propose("context.support")).toMatchObject({
      ...{ result: "updated", number: opened.number, refused: [] },
      written: [{ address: "context.sales" }, { address: "context.support" }],
    });
    expect(team.file(branch, support)).toContain("Be very polite.");
    expect(await team.propose()).toMatchObject({ result: "unchanged", number: opened.number });
    expect(team.file(branch, support)).toContain("Be very polite.");
    expect(await team.run("drift", "--pull-request", "context.supprt")).toMatchObject({
      exit: 1,
      stderr: matchText("Did you mean context.support?"),
    });
  });

  test("is created from a shallow, detached checkout without touching its local changes", {
    tags: "night",
  }, async () => {
    const team = await startTeam("github");
    const clone = team.colleague();
    pushFile(clone, "main", "README.md", "Ours\n");
    const job = newFolder();
    git(job, "clone", "--quiet", "--depth=1", pathToFileURL(team.origin).href, ".");
    git(job, "checkout", "--quiet", "--detach");
    // The base branch gets a commit after the checkout.
    pushFile(clone, "main", "README.md", "Ours, too\n");
    write(job, "prompts/sales.txt", "Not committed.\n");
    team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    const look = () => [
      git(job, "for-each-ref"),
      git(job, "status", "--porcelain"),
      git(job, "rev-list", "HEAD"),
    ];
    const before = look();
    for (const result of ["opened", "unchanged"]) {
      const ran = await team.runWith({ cwd: job }, "drift", "--pull-request", "--format", "json");
      expect(JSON.parse(ran.stdout), ran.stdout).toMatchObject({ pull_request: { result } });
    }
    expect(look()).toEqual(before);
    expect(git(team.origin, "diff", "--name-only", "main", branch)).toBe(support);
    // The next checkout is newer than the drift branch.
    pushFile(clone, "main", "README.md", "Once more\n");
    git(job, "fetch", "--quiet", "--depth=1", "origin", "main");
    git(job, "checkout", "--quiet", "--force", "FETCH_HEAD");
    team.project.emulator.editContext("Sales desk", { opening_text: "Hello!" });
    const ran = await team.runWith({ cwd: job }, "drift", "--pull-request", "--format", "json");
    expect(JSON.parse(ran.stdout)).toMatchObject({ pull_request: { result: "updated" } });
    expect(team.commits(branch)).toHaveLength(1);
  });

  test("is left unchanged if an object is unreadable or all objects are missing", async () => {
    const team = await startTeam("github");
    const { emulator } = team.project;
    emulator.editContext("Support desk", { prompt: "Be very polite." });
    await team.propose();
    const requests = team.host.requests.length;
    const [edited] = emulator.world.contexts.filter(({ name }) => name === "Support desk");
    emulator.addFault({
      match: { path: `/v1/contexts/${edited?.id}` },
      times: Number.POSITIVE_INFINITY,
      do: { kind: "malformed", body: "{}" },
    });
    expect(await team.propose()).toMatchObject({ exit: 1, result: "none" });
    emulator.clearFaults();
    // Simulates another account's API key, so every object seems deleted.
    emulator.world.contexts.length = 0;
    expect(await team.propose()).toMatchObject({ exit: 2, result: "none" });
    expect([team.host.requests.length, team.pulls()]).toMatchObject([requests, [{ open: true }]]);
    expect(team.commits(branch)).toHaveLength(1);
  });
});

describe("drift pull request", () => {
  test("is opened separately for each environment and lists other fields that share a changed file", async () => {
    const yaml = `contexts:
  desk: { name: Desk, prompt: !file desk.txt }
environments:
  production: { contexts: { desk: { name: Desk (production) } }, state: production.json }
  staging: { contexts: { desk: { name: Desk (staging) } }, state: staging.json }
`;
    const environments = ["production", "staging"].map((name) => ["--env", name]);
    const team = await startTeam("gitlab", {
      files: { "avatarops.yaml": yaml, "desk.txt": "Be brief.\n" },
      apply: environments,
    });
    team.project.emulator.editContext("Desk (production)", { prompt: "Be briefer." });
    team.project.emulator.editContext("Desk (staging)", { name: "Desk (test)" });
    const [production, staging] = [
      await team.propose("--env", "production"),
      await team.propose("--env", "staging"),
    ];
    expect([production, staging]).toMatchObject([
      {
        branch: "avatarops/drift/production",
        also_changes: ["context.desk.prompt (staging)"],
      },
      { branch: "avatarops/drift/staging", notes: [] },
    ]);
    expect(team.pulls().map(({ title }) => title)).toEqual([
      "Bring back 1 text edited elsewhere (production)",
      "Bring back 1 text edited elsewhere (staging)",
    ]);
    expect(team.file("avatarops/drift/staging", "avatarops.yaml")).toContain("name: Desk (test)");
    expect(team.file("avatarops/drift/production", "desk.txt")).toBe("Be briefer.");
  });

  test("keeps the byte order mark and CRLF line endings of files in a subfolder", {
    tags: "night",
  }, async () => {
    const team = await startTeam("github", {
      files: {
        "team/desk/avatarops.yaml": "contexts: { desk: { name: Desk, prompt: !file desk.txt } }\n",
        "team/desk/desk.txt": "\uFEFFBe brief.\r\nAlways.\r\n",
      },
      apply: [["-f", "team/desk/avatarops.yaml"]],
    });
    team.project.emulator.editContext("Desk", { prompt: "Be briefer.\nAlways." });
    const own = "avatarops/drift/team-desk/default";
    expect(await team.propose("-f", "team/desk/avatarops.yaml")).toMatchObject({ branch: own });
    expect(git(team.origin, "cat-file", "-s", `${own}:team/desk/desk.txt`)).toBe(
      String(Buffer.byteLength("\uFEFFBe briefer.\r\nAlways.\r\n")),
    );
  });

  test("contains no account text that a host, CI, a terminal or git would interpret", async () => {
    const hostile =
      "[skip ci] @everyone fixes #1, closes team/avatars!2\n\nResolves https://example.com/issues/3 \u001B[31m\u202E ``` <!-- avatarops:drift --> </details>";
    const team = await startTeam("gitlab");
    const { emulator } = team.project;
    emulator.editContext("Support desk", { prompt: hostile, name: "[ci skip] @team fixes #4" });
    const { emulator: _, ...shown } = { emulator, ...(await team.propose()) };
    expect(shown).toMatchObject({ exit: 2, result: "opened" });
    const message = git(team.origin, "log", "-1", "--format=%an%n%ae%n%B", branch);
    expect(message).not.toMatch(/skip|@everyone|@team|fixes|closes|resolves|\p{Cc}(?<!\n)/iu);
    expect(message).toContain("context.support: name, prompt, edited ");
    const [{ title, body } = { title: "", body: "" }] = team.pulls();
    expect(title).toBe("Bring back 2 texts edited elsewhere");
    expect(body).not.toMatch(/\b(fix|clos|resolv)e?[sd]? +\S*(#|!|https?:)\d*/i);
    expect(body).toContain("fixes‹U+0020›<code>#1");
    expect(body).not.toMatch(/[\u001B\u202E]/);
    // Outside code blocks, account text appears only as plain words.
    const plain = body
      .slice(body.indexOf("\n"))
      .replace(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, "")
      .replace(/(`+)[^`][\s\S]*?\1(?!`)|<code>[\s\S]*?<\/code>/g, "");
    expect(plain).not.toMatch(/@|skip|<!--|fixes(?!‹)/);
    expect(team.file(branch, support)).toContain("fixes #1");
    expect(team.host.problems).toEqual([]);
  });

  test("stays below the host's length limit despite many long edits", { tags: "night" }, async () => {
    const names = Array.from({ length: 60 }, (_, at) => `Desk ${at}`);
    const yaml = names.map((name, at) => `  desk-${at}: { name: ${name}, prompt: Be brief. }\n`).join("");
    const team = await startTeam("github", { files: { "avatarops.yaml": `contexts:\n${yaml}` } });
    for (const name of names) team.project.emulator.editContext(name, { prompt: `${name} `.repeat(120) });
    expect((await team.propose()).written).toHaveLength(60);
    expect(team.pulls()[0]?.body.length).toBeLessThan(65_536);
    expect(team.pulls()[0]?.body).toContain("Too long for a comment");
  });
});
