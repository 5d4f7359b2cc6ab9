import type { Manifest } from "../manifest/index.js";
import {
  matchFingerprint,
  resolve,
  type Sealed,
  type SourceEnvironment,
  SourceError,
} from "../secrets/index.js";
import type { State } from "../state/index.js";
import type { Rotation } from "./observation.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/** Looks at the write-only values of each declaration that has some: whether they are the ones last sent. */
export async function observeRotations(
  manifest: Manifest,
  state: State | undefined,
  tracked: readonly TrackedDeclaration[],
  world: SourceEnvironment,
): Promise<ReadonlyMap<string, Rotation>> {
  const rotations = new Map<string, Rotation>();
  const sealed = tracked.filter(({ declaration }) => Object.keys(declaration.sources).length > 0);
  // One after the other: each fingerprint takes tens of megabytes while it is made.
  for (const one of sealed) {
    rotations.set(one.declaration.address, await observeRotation(manifest, state, one, world));
  }
  return rotations;
}

async function observeRotation(
  manifest: Manifest,
  state: State | undefined,
  { declaration, entry }: TrackedDeclaration,
  world: SourceEnvironment,
): Promise<Rotation> {
  let found: Rotation = { value: "same" };
  try {
    const extra = await extraKey(manifest, world);
    for (const [field, source] of Object.entries(declaration.sources)) {
      const value = await resolve(source, world);
      const known = entry?.fingerprints?.[field];
      const stateKey = state?.fingerprintKey;
      if (known === undefined || stateKey === undefined) {
        found = { value: "unrecorded" };
        continue;
      }
      const answer = await matchFingerprint(value, known, { stateKey, ...(extra ? { extra } : {}) });
      if (answer === "different") return { value: "changed" };
      if (answer === "other-key") found = { value: "other-key" };
    }
  } catch (error) {
    if (error instanceof SourceError) return { value: "unavailable", problem: error.message };
    throw error;
  }
  return found;
}

/** The key of the manifest that is mixed into fingerprints, where one is declared. */
export async function extraKey(manifest: Manifest, world: SourceEnvironment): Promise<Sealed | undefined> {
  return manifest.fingerprintKey && (await resolve(manifest.fingerprintKey, world));
}
