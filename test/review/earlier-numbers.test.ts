// @module-tag ci
/**
 * Tests that apply reads the required number of approvals from an earlier commit, in every syntax that a manifest may
 * use for it.
 */
import { readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { expectSuccess, matchText } from "../cli/hosting.js";
import { type Change, listPrompts, merge, startChange } from "./change.js";
import { createPushVariables } from "./job.js";
import { listFirstLines, mergePull, padText, startReviewTeam } from "./team.js";

type Files = Readonly<Record<string, string>>;

/** Fifty contexts with three YAML aliases each. The YAML parser rejects this many aliases by default. */
const aliases = Array.from(
  { length: 50 },
  (_, at) => `  c${at}: { name: C${at}, prompt: *p, opening_text: *p, links: *l }\n`,
);
const createWithAliases = (prompt: string, count: number) =>
  `contexts:\n  desk: { name: Desk, prompt: &p ${prompt}, links: &l [] }\n${aliases.join("")}reviews: { require_approval: ${count} }\n`;
const createCode = (prompt: string) =>
  `import { Context, Project } from "avatarops";\nimport { reviews } from "./settings.js";\nconst project = new Project({ reviews });\nnew Context(project, "desk", { name: "Desk", prompt: "${prompt}" });\nexport default project;\n`;

const cases: readonly (readonly [string, (prompt: string, count: number) => Files, string | undefined])[] = [
  [
    "through a merge key",
    (prompt, count) => ({
      "avatarops.yaml": `environments:\n  one: &one { reviews: { require_approval: ${count} } }\n  two: { <<: *one }\ncontexts: { desk: { name: Desk, prompt: ${prompt} } }\n`,
    }),
    "two",
  ],
  [
    "in a file with many aliases",
    (prompt, count) => ({ "avatarops.yaml": createWithAliases(prompt, count) }),
    undefined,
  ],
  [
    "in a file that the main file links to",
    (prompt, count) => ({
      "real.yaml": `contexts: { desk: { name: Desk, prompt: ${prompt} } }\nreviews: { require_approval: ${count} }\n`,
    }),
    undefined,
  ],
  [
    "in a module of the main file",
    (prompt, count) => ({
      "avatarops.config.ts": createCode(prompt),
      "settings.ts": `export const reviews = { requireApproval: ${count} };\n`,
    }),
    undefined,
  ],
];

async function mergeNext(change: Change, files: Files, argv: readonly string[]): Promise<void> {
  for (const [name, text] of Object.entries(files)) await change.project.write(name, text);
  change.commit();
  await expectSuccess(change.review({}, ...argv));
  merge(change);
}

test.each(cases)(
  "rejects an unapproved decrease of the required approvals %s",
  async (_where, filesWith, env) => {
    const argv = env === undefined ? [] : ["--env", env];
    const change = await startChange("github", filesWith("Be kind.", 1));
    if (filesWith("", 0)["real.yaml"] !== undefined)
      await symlink("real.yaml", path.join(change.project.folder, "avatarops.yaml"));
    await mergeNext(change, {}, argv);
    await mergeNext(change, filesWith("Be rude.", 0), argv);
    expect(await change.apply({}, ...argv)).toMatchObject({
      exit: 7,
      stderr: matchText("error[not-approved]"),
    });
    expect(listPrompts(change)).toEqual([]);
  },
);

test.each([["--reviewed"], ["-y"]])(
  "apply %s rejects an unapproved decrease of the required approvals in a project in a subfolder",
  async (option) => {
    const team = await startReviewTeam();
    const text = await readFile(path.join(team.ana.inProject, "avatarops.yaml"), "utf8");
    await team.land({ "avatarops.yaml": `${text}reviews: { require_approval: 1 }\n` });
    team.propose(7, { "avatarops.yaml": text, "prompts/desk.md": padText("Rude.") });
    await expectSuccess(team.review(7));
    mergePull(team, 7);
    const clone = team.clone();
    const job = createPushVariables(team.standIn, clone.git("rev-parse", "HEAD"));
    const refused = await clone.runWith({ ...job, GITHUB_REF: "refs/heads/main" }, "apply", option);
    expect(refused, refused.stderr).toMatchObject({ exit: 7, stderr: matchText("error[not-approved]") });
    expect(refused.stderr).toEqual(matchText("lowered it to 0 without enough approvals"));
    expect(listFirstLines(team)).toEqual({ Desk: "First.", Night: "Sleep." });
  },
);
