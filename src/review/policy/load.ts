import { hasErrors } from "../../base/diagnostics/index.js";
import type { LoadedManifest, LoadOptions } from "../../core/manifest/index.js";
import { judgeFiles } from "./judge.js";

/**
 * Reads the desired state from the files of a project, runs its TypeScript files, and judges what they declare by the rules
 * of its policies: what breaks one is an error as any other, and there is no manifest. Needs no network, no environment
 * variable and no secret: sources are recorded, not resolved.
 */
export async function loadManifest(options: LoadOptions): Promise<LoadedManifest> {
  // The command judges projects in YAML without it.
  const { loadManifest: load } = await import("../../core/constructs/index.js");
  const { manifest, ...loaded } = await load({ judge: judgeFiles, ...options });
  return { ...loaded, ...(manifest && !hasErrors(loaded.diagnostics) ? { manifest } : {}) };
}
