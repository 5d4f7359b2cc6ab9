import path from "node:path";
import { openRepository } from "../../base/git/index.js";
import { preset } from "../../core/kinds/index.js";
import { loadProject } from "../project/open-project.js";
import type { Project } from "../runtime/project.js";
import { createQuietReporter, type Runtime } from "../runtime/runtime.js";
import { readState } from "../state/project-store.js";
import { findProjects } from "./find-projects.js";

/** Objects managed or used by other projects and environments of this repository. */
export interface OtherManagers {
  /**
   * Where each object is managed, such as "context.desk of staging, shop/avatarops.yaml". The keys are lower-case ids.
   */
  readonly managers: ReadonlyMap<string, string>;
  /** Presets of the files, which may contain ids of objects. */
  readonly presets: readonly PresetText[];
  /** Projects and environments whose state could not be read, and folders that could not be searched. */
  readonly unread: readonly string[];
}

/** A preset as lower-case JSON, in which ids can be searched. */
export interface PresetText {
  /** Where the preset is declared, such as "sessions.kiosk of staging, shop/avatarops.yaml". */
  readonly name: string;
  readonly text: string;
}

export function listPresetTexts({ presets }: Pick<Project, "presets">): PresetText[] {
  return presets.map(({ key, body }) => ({
    name: `${preset.collection}.${key}`,
    text: JSON.stringify(body).toLowerCase(),
  }));
}

/** Reads the files and states of the project's other environments and of the repository's other projects. */
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
  const presets: PresetText[] = [];
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
      const other = await loadProject(one);
      presets.push(
        ...listPresetTexts(other).map(({ name, text }) => ({ name: `${name} of ${named}`, text })),
      );
      const { objects = {} } = (await readState(one, other)) ?? {};
      for (const [address, { id }] of Object.entries(objects))
        managers.set(id.toLowerCase(), `${address} of ${named}`);
    } catch {
      signal.throwIfAborted();
      unread.push(named);
    } finally {
      await one.opened?.sources?.close();
    }
  }
  return { managers, presets, unread };
}
