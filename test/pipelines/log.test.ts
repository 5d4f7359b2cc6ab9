// @module-tag ci
/** Checks how the Action and the examples print folder names, which a fork can choose. */
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../scripts/pipelines/files.js";
import { findBuilt } from "../built.js";
import { newFolder, startProject } from "../cli/hosting.js";
import { commitAll, git, write } from "../git/repositories.js";
import { execute } from "../installing.js";

interface Step {
  readonly id?: string;
  readonly run?: string;
}
const [action] = parseDocuments("action.yml") as [{ runs: { steps: readonly Step[] } }];
const [forgejo] = parseDocuments("examples/ci/forgejo/projects/avatars-plan.yml") as [
  { jobs: { projects: { steps: readonly Step[] } } },
];

const scripts = {
  Action: action.runs.steps.find(({ id }) => id === "run")?.run ?? "",
  "Forgejo example": (forgejo.jobs.projects.steps.find(({ id }) => id === "find")?.run ?? "").replace(
    /^npm install.*$/m,
    "",
  ),
};

const desk = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";
const command = "##[add-mask]desk";

describe.each(Object.entries(scripts))("%s log", (_, script) => {
  test.each([
    ["lists a folder named like a runner command", { [`${command}/avatarops.yaml`]: desk }],
    [
      "reports an error in a folder named like a runner command",
      { [`${command}\n::error::x/avatarops.yaml`]: "contexts: 7\n" },
    ],
  ])("contains no runner command if the job %s", async (_, files) => {
    const project = await startProject({ files: { "support/avatarops.yaml": desk } });
    for (const [file, text] of Object.entries(files)) write(project.folder, file, text);
    git(project.folder, "init", "--quiet", "--initial-branch=main");
    commitAll(project.folder);
    const temporary = await newFolder();
    const bin = path.join(temporary, "avatarops/node_modules/.bin");
    write(bin, "avatarops", `#!/bin/sh\nexec "${process.execPath}" "${findBuilt()}" "$@"\n`);
    await execute("chmod", ["+x", path.join(bin, "avatarops")], { cwd: temporary });
    const { stdout, stderr } = await execute("bash", ["-e", "-o", "pipefail", "-c", script], {
      cwd: project.folder,
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: temporary,
        ...{ RUNNER_TEMP: temporary, GITHUB_OUTPUT: path.join(temporary, "output") },
        ...{ MODE: "projects", UNTRUSTED: "false", FROM_FORK: "false", GITHUB_STEP_SUMMARY: "/dev/null" },
      },
    });
    expect(stdout + stderr).not.toMatch(/##\[|^::/m);
    if (script === scripts.Action) expect(stderr).toContain("support/avatarops.yaml");
  });
});
