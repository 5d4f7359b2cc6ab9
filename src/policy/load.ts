import { loadManifest as load } from "../constructs/index.js";
import type { LoadedManifest, LoadOptions } from "../manifest/index.js";
import { judgeFiles } from "./judge.js";

/**
 * Reads the desired state from the files of a project, runs its TypeScript files, and judges what they declare by its
 * policies. Needs no network, no environment variable and no secret: sources are recorded, not resolved.
 */
export function loadManifest(options: LoadOptions): Promise<LoadedManifest> {
  return load({ judge: judgeFiles, ...options });
}
