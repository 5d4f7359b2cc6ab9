import { secretChange } from "../lifecycle/index.js";
import type { Manifest } from "../manifest/index.js";
import { resolve, type Sealed, type SourceEnvironment, SourceError } from "../secrets/index.js";
import type { State } from "../state/index.js";
import type { Rotation } from "./observation.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/** Checks whether the write-only values of each declaration are the last ones sent. */
export async function observeRotations(
  manifest: Manifest,
  state: State | undefined,
  tracked: readonly TrackedDeclaration[],
  environment: SourceEnvironment,
): Promise<ReadonlyMap<string, Rotation>> {
  const rotations = new Map<string, Rotation>();
  const sealed = tracked.filter(({ declaration }) => Object.keys(declaration.sources).length > 0);
  for (const declared of sealed) {
    rotations.set(
      declared.declaration.address,
      await observeRotation(manifest, state, declared, environment),
    );
  }
  return rotations;
}

async function observeRotation(
  manifest: Manifest,
  state: State | undefined,
  { declaration, entry }: TrackedDeclaration,
  environment: SourceEnvironment,
): Promise<Rotation> {
  let found: Rotation = { value: "same" };
  try {
    const extra = await extraKey(manifest, environment);
    for (const [field, source] of Object.entries(declaration.sources)) {
      const value = await resolve(source, environment);
      const made = entry?.fingerprints?.[field];
      const key = state?.fingerprintKey;
      const recorded = made === undefined || key === undefined ? undefined : { made, key };
      const change = await secretChange(value, recorded, extra);
      if (change === "changed") return { value: change };
      if (change !== "same") found = { value: change };
    }
  } catch (error) {
    if (error instanceof SourceError) return { value: "unavailable", problem: error.message };
    throw error;
  }
  return found;
}

/** The manifest's key for fingerprints, if one is declared. */
export async function extraKey(
  manifest: Manifest,
  environment: SourceEnvironment,
): Promise<Sealed | undefined> {
  return manifest.fingerprintKey && (await resolve(manifest.fingerprintKey, environment));
}
