import path from "node:path";
import { openRepository } from "../../base/git/index.js";
import { loadProject } from "../project/open-project.js";
import type { Project } from "../runtime/project.js";
import { quietReporter, type Runtime } from "../runtime/runtime.js";
import { readState } from "../state/project-store.js";
import { findProjects } from "./find-projects.js";

/** Who else manages which objects, as far as this repository shows. */
export interface OtherManagers {
  /** By id in lower case: "context.desk of staging, shop/avatarops.yaml". */
  readonly managers: ReadonlyMap<string, string>;
  /** The projects and environments whose state could not be read. */
  readonly unread: readonly string[];
}

/** What the other environments of a project, and the other projects of its repository, have in their states. */
export async function findOtherManagers(
  runtime: Runtime,
  { root, environment }: Project,
): Promise<OtherManagers> {
  const { host, signal } = runtime;
  const cwd = await openRepository({ folder: root, environment: host.environment, signal }).then(
    (repository) => repository.root,
    () => root,
  );
  const within: Runtime = { ...runtime, host: { ...host, cwd }, options: {}, output: quietReporter() };
  const { chosen } = await findProjects(within, { changedSince: false });
  const managers = new Map<string, string>();
  const unread: string[] = [];
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
