import path from "node:path";
import { type ExporterMemory, memoryText, readMemory } from "../../exporter/index.js";
import { keepText } from "../../state/index.js";
import type { Call } from "../command.js";
import type { Project } from "../project.js";
import { storeEnvironment } from "../store.js";

/** Where counts are kept between two runs. */
export interface MemoryFile {
  /** What an earlier run left. */
  readonly earlier: ExporterMemory | undefined;
  /** Replaces it; writes nothing if it says the same. */
  save(memory: ExporterMemory): Promise<void>;
  release(): Promise<void>;
}

/** Nothing is kept. */
const nowhere: MemoryFile = { earlier: undefined, save: async () => {}, release: async () => {} };

/**
 * Opens the file of `--memory` for this process alone. By default it is beside the state, one for each environment.
 *
 * @throws LockedError, StateError, MemoryError: the file is left as it is.
 */
export async function openMemoryFile(
  { host, options }: Call,
  { root, environment }: Pick<Project, "root" | "environment">,
  service: string,
): Promise<MemoryFile> {
  if (options.memory === false) return nowhere;
  const name = environment === undefined ? "sessions.json" : `sessions.${environment}.json`;
  const file =
    typeof options.memory === "string" ? host.resolve(options.memory) : path.join(root, ".avatarops", name);
  const kept = await keepText(file, "avatarops sessions serve", storeEnvironment(host, root));
  try {
    let last = await kept.read();
    return {
      earlier: last === undefined ? undefined : readMemory(last, file, service),
      async save(memory) {
        const text = memoryText(memory);
        if (text === last) return;
        await kept.replace(text);
        last = text;
      },
      release: () => kept.release(),
    };
  } catch (error) {
    await kept.release();
    throw error;
  }
}
