import { generateDataset } from "../../src/emulator/index.js";
import type { DriftDocument } from "../../src/output/documents/index.js";
import { commitFiles, createGitEnvironment, git, newFolder } from "../git/repositories.js";
import { createCiVariables } from "../review/job.js";
import { type StandIn, type StandInName, type StoredPull, startStandIn } from "../review/stand-in.js";
import { newClone, publish } from "../state/git-servers.js";
import {
  type CommandResult,
  type Project,
  type ProjectSetup,
  type Setting,
  startProject,
} from "./hosting.js";

/** An applied project in a repository whose remote is on a code host. */
export interface Team {
  readonly project: Project;
  /** Path to the bare repository. */
  readonly origin: string;
  readonly host: StandIn;
  /** Runs avatarops as a CI job. */
  run(...argv: string[]): Promise<CommandResult>;
  /** Runs avatarops in another folder or with additional environment variables. */
  runWith(setting: Setting, ...argv: string[]): Promise<CommandResult>;
  /** Runs `drift --pull-request` and returns the exit code and the pull request outcome. */
  propose(...argv: string[]): Promise<DriftDocument["pull_request"] & { readonly exit: number }>;
  /** Pull requests opened by avatarops. */
  pulls(): StoredPull[];
  /** Reads a file from a remote branch. */
  file(branch: string, file: string): string;
  /** Ids of commits that are on a branch but not on main, newest first. */
  commits(branch: string): string[];
  /** Creates a clone for a colleague. */
  colleague(): string;
  /** Merges a branch on the remote and updates the project's folder. */
  merge(branch: string): void;
}

const files = {
  "avatarops.yaml": `include: [contexts/*.md]
contexts:
  sales:
    name: Sales desk
    prompt: !file prompts/sales.txt
    opening_text: Hi!
`,
  "contexts/support.md": "---\nname: Support desk\n---\nBe polite.\n",
  "prompts/sales.txt": "Be brief.\n",
};

/** Drift branch for a project without environments. */
export const branch = "avatarops/drift/default";

export async function startTeam(
  name: StandInName,
  { apply = [[]], ...setup }: ProjectSetup & { apply?: readonly (readonly string[])[] } = {},
): Promise<Team> {
  const project = await startProject({ files, world: generateDataset({ avatars: 1 }), ...setup });
  const host = await startStandIn(name);
  host.world.pulls.length = 0;
  for (const argv of apply) {
    await project.expectDone("apply", "-y", ...argv);
  }
  const root = project.folder;
  const { folder: origin, url } = publish(root);
  const environment = { ...createGitEnvironment(newFolder()), ...createCiVariables(host) };
  const run = (...argv: string[]) => project.avataropsWith({ environment }, ...argv);
  const pulls = () => host.world.pulls;
  return {
    ...{ project, origin, host, run, pulls },
    runWith: (setting, ...argv) =>
      project.avataropsWith({ ...setting, environment: { ...environment, ...setting.environment } }, ...argv),
    async propose(...argv) {
      const ran = await run("drift", "--pull-request", "--format", "json", ...argv);
      const { pull_request } = JSON.parse(ran.stdout) as DriftDocument;
      if (!pull_request) throw new Error(ran.stdout + ran.stderr);
      return { exit: ran.exit, ...pull_request };
    },
    file: (at, file) => git(origin, "show", `${at}:${file}`),
    commits: (of) =>
      git(origin, "rev-list", of, "--not", "main")
        .split("\n")
        .filter((id) => id !== ""),
    colleague: () => newClone(url),
    merge(merged) {
      const clone = newClone(url);
      git(clone, "merge", "--quiet", "--no-ff", "--no-edit", `origin/${merged}`);
      git(clone, "push", "--quiet", "origin", "main");
      for (const pull of pulls()) if (pull.head === merged) pull.open = false;
      git(root, "pull", "--quiet", "origin", "main");
    },
  };
}

export function pushFile(clone: string, to: string, file: string, text: string): string {
  const commit = commitFiles(clone, { [file]: text });
  git(clone, "push", "--quiet", "origin", `HEAD:${to}`);
  return commit;
}
