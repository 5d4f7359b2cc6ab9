import {
  findOriginUrl,
  GitError,
  openRepository,
  readGitSettings,
  readRepositoryPath,
} from "../../base/git/index.js";
import { describeOtherProject, type ProjectIdentity, type State } from "../../core/state/index.js";
import { makeVisible } from "../../output/render/index.js";
import type { Project } from "../runtime/project.js";
import { getGitSettingsCache, type Runtime } from "../runtime/runtime.js";

interface ComparedIdentity {
  /** Project recorded in the state. */
  readonly recorded?: ProjectIdentity | undefined;
  readonly writes: boolean;
}

/** Reads the project's identity from git. Reports parts of the recorded identity that cannot be compared. */
export async function identifyProject(
  runtime: Runtime,
  { root, environment }: Pick<Project, "root" | "environment">,
  { recorded, writes }: ComparedIdentity,
): Promise<ProjectIdentity> {
  const { host, signal } = runtime;
  if (host.outside?.project) return host.outside.project;
  const chosen = environment === undefined ? {} : { environment };
  try {
    const git = { environment: host.environment, signal, timeoutMs: 10_000 };
    const repository = await openRepository({ ...git, folder: root });
    const settings = await readGitSettings(repository, getGitSettingsCache(runtime));
    const origin = readRepositoryPath(findOriginUrl(settings) ?? "");
    if (recorded?.origin !== undefined && origin === undefined)
      showOnce(
        runtime,
        "info",
        `The state belongs to the repository ${makeVisible(recorded.origin)}. This repository has no remote on a code host, so it is unknown whether they are the same.`,
      );
    return { ...(origin !== undefined && { origin }), path: repository.prefix.normalize("NFC"), ...chosen };
  } catch (error) {
    if (!(error instanceof GitError) || error.code === "cancelled") throw error;
    // Without git, only the environment can be compared. Reports this if the state has an identity from git, and always
    // before a write.
    if (recorded?.path !== undefined || (recorded && writes))
      showOnce(
        runtime,
        "info",
        `Without git, avatarops checks only the state's environment, not its project.${error.code === "not-a-repository" ? "" : ` ${error.message}`}`,
      );
    return chosen;
  }
}

/** Warns if the state belongs to another project. */
export async function warnOfOtherProject(
  runtime: Runtime,
  project: Pick<Project, "root" | "state" | "environment">,
  state: State | undefined,
): Promise<void> {
  const recorded = state?.project;
  if (!recorded) return;
  const current = await identifyProject(runtime, project, { recorded, writes: false });
  const problem = describeOtherProject(project.state, recorded, current);
  if (problem !== undefined) showOnce(runtime, "warn", `Commands that write would fail: ${problem}`);
}

/** Shows a message unless this run has shown it. */
export function showOnce({ opened, output }: Runtime, level: "info" | "warn", sentence: string): void {
  opened.shown ??= new Set();
  if (opened.shown.has(sentence)) return;
  opened.shown.add(sentence);
  output[level](sentence);
}
