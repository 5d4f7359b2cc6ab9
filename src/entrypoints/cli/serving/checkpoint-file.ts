import path from "node:path";
import { openLockedFile } from "../../../core/state/index.js";
import { type Project, type Runtime, storeEnvironment } from "../../../operations/index.js";
import { checkpointText, type MetricsCheckpoint, readCheckpoint } from "../../../sessions/metrics/index.js";

/** Where counts are kept between two runs. */
export interface CheckpointFile {
  /** What an earlier run left. */
  readonly earlier: MetricsCheckpoint | undefined;
  /** Replaces it; writes nothing if it says the same. */
  save(checkpoint: MetricsCheckpoint): Promise<void>;
  release(): Promise<void>;
}

/**
 * Opens the file for this process alone. By default it is beside the state, one for each environment.
 *
 * @throws LockedError, StateError, UsageError: the file is left as it is.
 */
export async function openCheckpointFile(
  runtime: Runtime,
  { root, environment }: Pick<Project, "root" | "environment">,
  service: string,
  named: string | undefined,
): Promise<CheckpointFile> {
  const name = environment === undefined ? "sessions.json" : `sessions.${environment}.json`;
  const file = named === undefined ? path.join(root, ".avatarops", name) : runtime.host.resolve(named);
  const kept = await openLockedFile(file, "avatarops sessions serve", storeEnvironment(runtime, root));
  try {
    let last = await kept.read();
    return {
      earlier: last === undefined ? undefined : readCheckpoint(last, file, service),
      async save(checkpoint) {
        const text = checkpointText(checkpoint);
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
