import { type LoadedManifest, type LoadOptions, loadManifest as load } from "../manifest/index.js";
import { openDefinitions } from "./definitions.js";

/**
 * Reads the desired state from the files of a project, and runs its TypeScript files. Needs no network, no
 * environment variable and no secret: sources are recorded, not resolved.
 */
export function loadManifest(options: LoadOptions): Promise<LoadedManifest> {
  return load({ definitions: (reading) => openDefinitions(reading), ...options });
}
