import path from "node:path";
import { openLockedFile } from "../../../core/state/index.js";
import type { Project } from "../../../operations/index.js";
import { storeEnvironment } from "../../../operations/index.js";
import { checkpointText, type MetricsCheckpoint, readCheckpoint } from "../../../sessions/metrics/index.js";
import type { CommandCall } from "../command.js";
import type { sessionsServeCommand } from "../facts/sessions.js";

/** Where counts are kept between two runs. */
export interface CheckpointFile {
  /** What an earlier run left. */
  readonly earlier: MetricsCheckpoint | undefined;
  /** Replaces it; writes nothing if it says the same. */
  save(checkpoint: MetricsCheckpoint): Promise<void>;
  release(): Promise<void>;
}

/** Nothing is kept. */
const nowhere: CheckpointFile = { earlier: undefined, save: async () => {}, release: async () => {} };

/**
 * Opens the file of `--checkpoint` for this process alone. By default it is beside the state, one for each environment.
 *
 * @throws LockedError, StateError, CheckpointError: the file is left as it is.
 */
export async function openCheckpointFile(
  call: CommandCall<typeof sessionsServeCommand>,
  { root, environment }: Pick<Project, "root" | "environment">,
  service: string,
): Promise<CheckpointFile> {
  const { checkpoint } = call.options;
  if (checkpoint === false) return nowhere;
  const name = environment === undefined ? "sessions.json" : `sessions.${environment}.json`;
  const file = checkpoint === undefined ? path.join(root, ".avatarops", name) : call.host.resolve(checkpoint);
  const kept = await openLockedFile(file, "avatarops sessions serve", storeEnvironment(call, root));
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
