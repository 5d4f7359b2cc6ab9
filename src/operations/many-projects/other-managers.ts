import path from "node:path";
import { openRepository } from "../../base/git/index.js";
import { loadProject } from "../project/open-project.js";
import type { Project } from "../runtime/project.js";
import { createQuietReporter, type Runtime } from "../runtime/runtime.js";
import { readState } from "../state/project-store.js";
import { findProjects } from "./find-projects.js";

/** Objects managed by other projects and environments of this repository. */
export interface OtherManagers {
  /**
   * Where each object is managed, such as "context.desk of staging, shop/avatarops.yaml". The keys are lower-case ids.
   */
  readonly managers: ReadonlyMap<string, string>;
  /** Projects and environments whose state could not be read, and folders that could not be searched. */
  readonly unread: readonly string[];
}

/** Reads the states of the project's other environments and of the repository's other projects. */
export async function findOtherManagers(
  runtime: Runtime,
  { root, environment }: Project,
): Promise<OtherManagers> {
  const { host, signal } = runtime;
  const cwd = await openRepository({ folder: root, environment: host.environment, signal }).then(
    (repository) => repository.root,
    () => root,
  );
  const within: Runtime = { ...runtime, host: { ...host, cwd }, options: {}, output: createQuietReporter() };
  const managers = new Map<string, string>();
  const unread: string[] = [];
  const { chosen } = await findProjects(within, {
    changedSince: false,
    onUnreadable: (folder) => unread.push(`projects in ${folder}`),
  });
  for (const { project: file, environment: env } of chosen) {
    if (env === environment && path.resolve(cwd, path.dirname(file)) === path.resolve(root)) continue;
    const named = [env, file].filter(Boolean).join(", ");
    const one: Runtime = { ...within, options: { ...runtime.options, file, env, target: [] }, opened: {} };
    try {
      const { objects = {} } = (await readState(one, await loadProject(one))) ?? {};
      for (const [address, { id }] of Object.entries(objects))
        managers.set(id.toLowerCase(), `${address} of ${named}`);
    } catch {
      signal.throwIfAborted();
      unread.push(named);
    } finally {
      await one.opened?.sources?.close();
    }
  }
  return { managers, unread };
}
