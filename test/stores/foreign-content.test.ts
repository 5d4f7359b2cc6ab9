import { describe, expect, test } from "vitest";
import { matchText, type Project, startProject } from "../cli/hosting.js";
import { commitFiles, git } from "../git/repositories.js";
import { newClone, newRemote, type Remote } from "../state/git-servers.js";

const secret =
  "secrets: { llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !file key.txt } }\n";

/** Starts a project with its state at this location and one secret. */
async function startAt(state: string): Promise<Project & { readonly remote: Remote }> {
  const project = await startProject({
    files: { "avatarops.yaml": `state: ${state}\n${secret}`, "key.txt": "sk-one\n" },
  });
  const remote = newRemote();
  git(project.folder, "init", "--quiet");
  git(project.folder, "remote", "add", "origin", remote.url);
  return { ...project, remote };
}

/** Pushes a commit without a state to a ref. Returns its id. */
function pushForeign({ url }: Remote, ref: string): string {
  const clone = newClone(url);
  commitFiles(clone, { "README.md": "Notes\n", "src/a.txt": "a\n" });
  git(clone, "push", "--quiet", "--force", "origin", `HEAD:${ref}`);
  return git(clone, "rev-parse", "HEAD");
}

describe("state in git", () => {
  const ref = "refs/avatarops/production";
  const location = `git+${ref.replace("/", "://origin/")}`;

  test("rejects a ref that was replaced with a commit without a state, and creates nothing", async () => {
    const project = await startAt(location);
    await project.expectApplied();
    const foreign = pushForeign(project.remote, ref);
    const why = `${location} is not an avatarops state: commit ${foreign.slice(0, 10)} contains other files, but no state.json.`;
    for (const command of [["plan"], ["apply", "--auto-approve"]]) await project.expectRefused(command, why);
    expect(project.emulator.world.secrets).toHaveLength(1);
    expect(git(project.remote.folder, "rev-parse", ref)).toBe(foreign);
    expect(git(project.remote.folder, "for-each-ref", "refs/avatarops-locks")).toBe("");
  });

  test("is not migrated to a branch that contains other files", async () => {
    const project = await startAt(".avatarops/state.json");
    await project.expectApplied();
    const branch = "refs/heads/avatarops/docs";
    const foreign = pushForeign(project.remote, branch);
    const ran = await project.avatarops("state", "migrate", "--to", "git+refs://origin/heads/avatarops/docs");
    expect(ran).toMatchObject({ exit: 1, stderr: matchText("is not an avatarops state") });
    expect(git(project.remote.folder, "rev-parse", branch)).toBe(foreign);
    await project.expectNothingToDo();
  });
});
