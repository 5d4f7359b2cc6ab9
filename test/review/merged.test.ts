// @module-tag ci
/** Tests reviews of a branch behind its base. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { expectSuccess, matchText } from "../cli/hosting.js";
import { newFolder, write } from "../git/repositories.js";
import { isLong } from "../real/long.js";
import type { StoredPull } from "./stand-in.js";
import { listFirstLines, padText, type ReviewTeam, startReviewTeam } from "./team.js";

/** Merge methods that the host offers for pull request 7. */
const mergeMethods: Readonly<Record<string, (ana: ReviewTeam["ana"]) => void>> = {
  merge: ({ git }) => git("merge", "--quiet", "--no-ff", "-m", "Merge", "origin/change-7"),
  squash({ git }) {
    git("merge", "--quiet", "--squash", "origin/change-7");
    git("commit", "--quiet", "-m", "Change (#7)");
  },
  rebase({ git }) {
    git("switch", "--quiet", "-c", "rebased", "origin/change-7");
    git("rebase", "--quiet", "main");
    git("branch", "-f", "main");
    git("switch", "--quiet", "main");
  },
};

function merge({ ana, standIn }: ReviewTeam, way: string): void {
  ana.git("fetch", "--quiet", "origin");
  mergeMethods[way]?.(ana);
  ana.push();
  Object.assign(standIn.world.pulls[0] ?? {}, { open: false, merged: ana.git("rev-parse", "HEAD") });
}

describe.each(isLong ? (["github", "gitlab", "gitea"] as const) : (["github"] as const))(
  "review of a branch behind its base on %s",
  (name) => {
    test("plans the merge result, and the plan is applied after the merge", async () => {
      const team = await startReviewTeam(name);
      const { git } = team.propose(7, { "prompts/night.md": padText("Dream.") });
      const tip = await team.land({ "prompts/desk.md": padText("Second.") });
      await expectSuccess(team.review(7));
      const body = team.comment(7);
      expect(body).toContain("### Plan: 1 to update; 1 unchanged\n");
      expect(body).not.toMatch(/context\.desk|Second\.|\*\*Behind/);
      expect(body).toContain(`Commit [\`${git("rev-parse", "HEAD").slice(0, 10)}\`]`);
      expect(body).toContain(`, merged with \`main\` at [\`${tip.slice(0, 10)}\`]`);

      merge(team, "merge");
      await expectSuccess(team.applyMain());
      expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
      expect(team.standIn.problems).toEqual([]);
    });
  },
);

test.each([500, 403])(
  "plans nothing if the host responds with %d to the request for the base branch",
  async (status) => {
    const team = await startReviewTeam();
    team.propose(7, { "prompts/night.md": padText("Dream.") });
    await team.land({ "prompts/desk.md": padText("Second.") });
    const pull = /^GET .*\/pulls\/7$/;
    let reads = 0;
    team.standIn.before = (request) => {
      if (!pull.test(request)) return;
      reads += 1;
      // The first request finds out whether the pull request comes from a fork.
      if (reads === 2) team.standIn.fail({ on: pull, times: status === 500 ? 4 : 1, answer: { status } });
    };
    const started = { GITHUB_EVENT_PATH: "", GITHUB_REF: "refs/heads/main", GITHUB_BASE_REF: "" };
    const failed = await team.review(7, { more: started, argv: ["--pull-request", "7"] });
    expect(failed).toMatchObject({
      exit: 1,
      stderr: matchText("Cannot read pull request 7 of team/avatars"),
    });
    expect(team.comment(7)).toBe("");
    await expectSuccess(team.review(7, { more: started, argv: ["--pull-request", "7"] }));
    expect(team.comment(7)).toContain("### Plan: 1 to update; 1 unchanged\n");
  },
);

test.each(["squash", "rebase"])(
  "applies an outdated branch's reviewed plan after a %s",
  { tags: "night" },
  async (way) => {
    const team = await startReviewTeam();
    team.propose(7, { "prompts/night.md": padText("Dream.") });
    await team.land({ "prompts/desk.md": padText("Second.") });
    await team.review(7);
    merge(team, way);
    await expectSuccess(team.applyMain());
    expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
  },
);

test.each(["true", ""])(
  "fetches a shallow clone's missing history, with CI=%s",
  {
    tags: "night",
  },
  async (inCi) => {
    const team = await startReviewTeam();
    team.propose(7, { "prompts/night.md": padText("Dream.") });
    await team.land({ "prompts/desk.md": padText("Second.") });
    const clone = team.clone("--depth=1", "--branch", "change-7");
    await expectSuccess(team.review(7, { clone, more: { CI: inCi } }));
    expect(team.comment(7)).toContain("### Plan: 1 to update; 1 unchanged\n");
    expect(team.comment(7)).not.toContain("Behind");
  },
);

test("reports that a conflict, an old git or uncommitted changes prevent the merge", {
  tags: "night",
}, async () => {
  const team = await startReviewTeam();
  const other = team.propose(7, { "prompts/night.md": padText("Dream.") });
  team.propose(8, { "prompts/desk.md": padText("Third.") });
  const tip = await team.land({ "prompts/desk.md": padText("Second.") });
  await team.review(8);
  expect(team.comment(8)).toContain(
    `> **Behind:** this change is 1 commit behind \`main\` ([\`${tip.slice(0, 10)}\`](<${team.standIn.options.webUrl}/team/avatars/commit/${tip}>)), and the plan does not include those commits: both sides changed the same lines in \`bots/support/prompts/desk.md\`. The plan may show them as reverts. Merge \`main\` into this branch, or rebase.\n\n### Plan: 1`,
  );
  const bin = newFolder();
  const old = `#!/bin/sh\ncase " $* " in *" merge-tree "*) exit 129;; esac\nexec /usr/bin/git "$@"\n`;
  write(bin, "git", old, 0o755);
  await team.review(7, { clone: other, more: { PATH: `${bin}:${process.env.PATH}` } });
  expect(team.comment(7)).toMatch(/> \*\*Behind:.*: merging needs git `2\.38` or later\./);
  write(other.root, "bots/support/prompts/desk.md", padText("Uncommitted."));
  await team.review(7, { clone: other });
  expect(team.comment(7)).toMatch(
    /> \*\*Behind:\*\* this change is 1 commit behind.* differ from the checked-out commit/,
  );
});

test("runs no hook, filter or merge driver when it merges the base, and removes its work tree", {
  tags: "night",
}, async () => {
  const team = await startReviewTeam();
  const ran = path.join(team.ana.root, "..", `${path.basename(team.ana.root)}-ran`);
  const attributes = { "../../.gitattributes": "*.md merge=own filter=own\n" };
  await team.land(attributes);
  const { root, git, number, ...clone } = team.propose(7, {
    "prompts/desk.md": padText("First.").replace("First.", "Third."),
  });
  await team.land({ "prompts/desk.md": `${padText("First.")}\nMore.\n` });
  for (const [key, value] of [
    ["merge.own.driver", `touch ${ran}; exit 0`],
    ["merge.default", "own"],
    ["filter.own.clean", `touch ${ran}; cat`],
    ["filter.own.smudge", `touch ${ran}; cat`],
  ] as const)
    git("config", key, value);
  write(root, ".git/hooks/post-checkout", `#!/bin/sh\ntouch ${ran}\n`, 0o755);
  const before = git("for-each-ref");
  await expectSuccess(team.review(number, { clone: { root, git, ...clone } }));
  expect(team.comment(7)).toMatch(/Behind.*same lines in `bots\/support\/prompts\/desk\.md`/);
  git("config", "--unset", "merge.default");
  write(root, ".git/info/attributes", "*.md !merge\n");
  await team.review(number, { clone: { root, git, ...clone } });
  expect(team.comment(7)).toContain("merged with `main`");
  expect(existsSync(ran)).toBe(false);
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  expect(git("for-each-ref")).toBe(before);
  expect(git("status", "--porcelain")).toBe("");
});

test.each(["before", "with"])(
  "applies a merged pull request if earlier unapplied changes on main are applied %s it",
  { tags: "night" },
  async (when) => {
    const team = await startReviewTeam();
    const { ana } = team;
    team.propose(7, { "prompts/night.md": padText("Dream.") });
    ana.commit({ "prompts/desk.md": padText("Second.") });
    ana.push();
    await team.review(7);
    expect(team.comment(7)).toContain("### Plan: 2 to update");
    expect(team.standIn.world.statuses.at(-1)?.description).toMatch(/^Plan 1:\S+ list 1:\S+: 2 to update/);
    if (when === "before") await ana.apply();
    merge(team, "merge");
    await expectSuccess(team.applyMain());
    expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
  },
);

test("plans a branch behind its base with secret files that git ignores", async () => {
  const team = await startReviewTeam();
  const manifest = readFileSync(path.join(team.ana.inProject, "avatarops.yaml"), "utf8");
  const createSecret = (name: string, source: string) =>
    `  ${name}: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }\n`;
  const secrets = [
    createSecret("one", "!file keys/one.txt"),
    createSecret("two", "!exec [sh, ../../tools/print.sh, keys/two.txt]"),
  ];
  team.ana.commit({ ".gitignore": "keys/\n", "../../tools/print.sh": 'cat "$1"\n' });
  team.ana.push();
  const { inProject, ...clone } = team.propose(7, {
    "avatarops.yaml": `${manifest}secrets:\n${secrets.join("")}`,
  });
  await team.land({ "prompts/desk.md": padText("Second.") });
  for (const name of ["one", "two"]) write(inProject, `keys/${name}.txt`, "a key\n");
  await expectSuccess(team.review(7, { clone: { inProject, ...clone } }));
  expect(team.comment(7)).toContain("### Plan: 2 to create; 2 unchanged");
  expect(team.comment(7)).not.toContain("Behind");
});

test("merges a fork's change with the base, without a work tree", async () => {
  const team = await startReviewTeam();
  const fork = team.propose(7, { "prompts/night.md": padText("Dream.") });
  const baseCommit = await team.land({ "prompts/desk.md": padText("Second.") });
  const pull = { ...team.standIn.world.pulls[0], fromFork: true, baseCommit } as StoredPull;
  team.standIn.world.pulls.splice(0, 1, pull);
  fork.git("fetch", "--quiet", "origin");
  write(fork.root, "bots/support/prompts/night.md", "What is in the folder is not read.");
  await expectSuccess(team.review(7, { clone: fork }));
  expect(team.comment(7)).toContain("### Plan: 1 to update; 1 unchanged\n");
  expect(team.comment(7)).toContain(`, merged with \`main\` at [\`${baseCommit.slice(0, 10)}\`]`);
  expect(team.comment(7)).toContain("Dream.");
  // Still rejects code from the fork.
  const commit = fork.commit({ "avatarops.yaml": "include: [code.ts]\n", "code.ts": "process.exit(9);\n" });
  Object.assign(pull, { commit });
  const refused = await team.review(7, { clone: fork });
  expect(refused).toMatchObject({ exit: 1 });
  expect(team.comment(7)).toMatch(/untrusted|cannot/);
});

test("runs the merged versions of TypeScript files and their imports if the branch is behind", {
  tags: "night",
}, async () => {
  const team = await startReviewTeam();
  const code = (words: string) => `import { Context, Project, promptFile } from "avatarops";
import { name } from "../../shared/words.ts";
const project = new Project();
new Context(project, "late", { name, prompt: promptFile("prompts/late.md"), openingText: "${words}" });
export default project;
`;
  const manifest = readFileSync(path.join(team.ana.root, "bots/support/avatarops.yaml"), "utf8");
  await team.land({
    "avatarops.yaml": `include: [late.ts]\n${manifest}`,
    ...{
      "late.ts": code("Hello"),
      "prompts/late.md": padText("Late."),
      "../../shared/words.ts": 'export const name = "Late";\n',
    },
  });
  team.propose(7, { "late.ts": code("Good evening") });
  await team.land({
    "prompts/late.md": padText("Later."),
    "../../shared/words.ts": 'export const name = "Later";\n',
  });
  await expectSuccess(team.review(7));
  expect(team.comment(7)).toContain("### Plan: 1 to update; 2 unchanged\n");
  expect(team.comment(7)).toContain("merged with `main`");
  expect(team.comment(7)).not.toMatch(/Late\.|\*\*`name`\*\*/);
  merge(team, "merge");
  await expectSuccess(team.applyMain());
});
