import { isDeepStrictEqual } from "node:util";
import { abbreviate } from "../../base/text/index.js";
import type { Action } from "../kinds/index.js";
import { detectSecretChange } from "../lifecycle/index.js";
import type { Manifest } from "../manifest/index.js";
import {
  checkField,
  identifySource,
  isEnv,
  isFile,
  readCurrentVersion,
  resolve,
  resolveWithVersion,
  type Sealed,
  type SourceEnvironment,
  SourceError,
  type ValueSource,
} from "../secrets/index.js";
import type { State, ValueVersion } from "../state/index.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import type { Rotation, UnresolvedSource } from "./observation.js";
import type { Change, FieldChange } from "./plan-types.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/*
 * Decides whether a write-only value has changed since it was last sent, using the first available of:
 *
 * 1. The declared version, if one was recorded. The value is not read.
 * 2. The recorded version of the same source. A plan then needs no permission to read the value.
 * 3. The fingerprint, which needs the value.
 */

/** Compares each declaration's write-only values with the values last sent. */
export async function observeRotations(
  manifest: Manifest,
  state: State | undefined,
  tracked: readonly TrackedDeclaration[],
  environment: SourceEnvironment,
): Promise<ReadonlyMap<string, Rotation>> {
  const sealed = tracked.filter(({ declaration }) => Object.keys(declaration.sources).length > 0);
  const rotations = await mapConcurrent(maxConcurrentReads, sealed, async (declared) => {
    const rotation = await observeRotation({ manifest, state, declared, environment });
    return [declared.declaration.address, rotation] as const;
  });
  return new Map(rotations);
}

interface RotationContext {
  readonly manifest: Manifest;
  readonly state: State | undefined;
  readonly declared: TrackedDeclaration;
  readonly environment: SourceEnvironment;
}

async function observeRotation(observing: RotationContext): Promise<Rotation> {
  let found: Rotation = { value: "same" };
  const versions: Record<string, ValueVersion> = {};
  for (const [field, source] of Object.entries(observing.declared.declaration.sources)) {
    const { learned, ...seen } = await observeValue(observing, field, source).catch(
      (error: unknown): ObservedRotation => ({ value: "unavailable", problem: toProblem(error, source) }),
    );
    if (seen.value === "changed") return seen;
    if (seen.value !== "same") found = seen;
    if (learned) versions[field] = learned;
  }
  return found.value === "same" && Object.keys(versions).length > 0 ? { ...found, versions } : found;
}

/** Rotation of one value. `learned` is a version of the sent value that the state does not record yet. */
type ObservedRotation = Rotation & { readonly learned?: ValueVersion | undefined };

async function observeValue(
  observing: RotationContext,
  field: string,
  source: ValueSource,
): Promise<ObservedRotation> {
  const { manifest, state, environment } = observing;
  const { declaration, entry } = observing.declared;
  const declared = declaration.versions?.[field];
  const recorded = entry?.versions?.[field];
  const made = entry?.fingerprints?.[field];
  if (declared !== undefined && recorded?.version !== undefined && recorded.source === undefined)
    return toDeclaredRotation(compareVersions(field, recorded.version, declared));
  // The declared version of an imported object is assumed to be its stored version.
  if (declared !== undefined && entry && made === undefined)
    return { value: "same", learned: { version: declared } };
  const identity = await identifySource(source, environment);
  const isSame = recorded?.source === identity.source;
  if (recorded?.written !== undefined && !isSame && recorded.written !== identity.written)
    return compareOtherSource(field, source, environment);
  const known = isSame ? recorded.version : undefined;
  const compareWithKnown = (before: string, now: string): ObservedRotation => {
    const rotation = compareVersions(field, before, now);
    const isNew = rotation.value === "same" && declared !== undefined;
    return isNew ? { ...rotation, learned: { version: declared } } : rotation;
  };
  const key = state?.fingerprintKey;
  const isComparable = made !== undefined && key !== undefined;
  if (known !== undefined || !isComparable) {
    const current = await readVersionIfAllowed(source, environment);
    if (current !== undefined) {
      if (known !== undefined) return compareWithKnown(known, current);
      await checkFieldIfAllowed(source, environment);
      return { value: "unrecorded" };
    }
  }
  const { value, version } = await resolveWithVersion(source, environment);
  // Compares versions even if the value was read, so that the plan does not depend on permissions.
  if (known !== undefined && version !== undefined) return compareWithKnown(known, version);
  if (!isComparable) return { value: "unrecorded" };
  const change = await detectSecretChange(
    value,
    { made, key },
    await resolveFingerprintKey(manifest, environment),
    environment.system,
  );
  if (change !== "same") return { value: change };
  const next = await pickVersionToRecord(source, declared, version, environment);
  return { value: change, learned: isDeepStrictEqual(next, recorded) ? undefined : next };
}

/**
 * Counts a value from another source as changed without reading it, so that the plan needs no permission and is the
 * same for every user.
 */
async function compareOtherSource(
  field: string,
  source: ValueSource,
  environment: SourceEnvironment,
): Promise<ObservedRotation> {
  const changed = {
    value: "changed",
    because: describeNewSource(field),
    inFiles: true,
  } as const;
  try {
    // Local sources have no versions, and reading them needs no extra permission.
    if (isEnv(source) || isFile(source)) await resolve(source, environment);
    else {
      await readVersionIfAllowed(source, environment);
      await checkFieldIfAllowed(source, environment);
    }
    return changed;
  } catch (error) {
    return { ...changed, problem: toProblem(error, source) };
  }
}

/** Creates the note for a value from another source, for plans that do not show the source. */
export function describeNewSource(field: string): string {
  return `${field} now comes from a different source.`;
}

function toDeclaredRotation(rotation: Rotation): Rotation {
  return rotation.value === "changed" ? { ...rotation, inFiles: true } : rotation;
}

/** Problem with an environment variable, by error code. If undefined, the error's own message is used. */
const unset: Readonly<Record<string, string | undefined>> = {
  "not-set": "is not set",
  empty: "is empty",
  "not-a-value": undefined,
};

function toProblem(error: unknown, source: ValueSource): UnresolvedSource {
  if (!(error instanceof SourceError)) throw error;
  const { code, message } = error;
  if (!isEnv(source) || !Object.hasOwn(unset, code)) return { code, message };
  // The variable may be set in the job that applies.
  const { [code]: is } = unset;
  if (is === undefined) return { code: "unusable", message: `${message} Apply needs the value.` };
  return { code: "unset", message: `The ${error.source} ${is} here. Apply needs it.` };
}

function compareVersions(field: string, before: string, now: string): Rotation {
  if (before === now) return { value: "same" };
  return {
    value: "changed",
    because: `${field}: version ${sanitizeVersion(before)} → ${sanitizeVersion(now)}.`,
    version: now,
  };
}

/** Makes a version safe to show, because vaults return arbitrary strings. */
function sanitizeVersion(version: string): string {
  const text = abbreviate(version, 60);
  return /^[\w.:/+=…-]+$/.test(text) ? text : JSON.stringify(text);
}

/**
 * Reads the version, but not the value. Returns undefined if that is not permitted. In that case, the version is known
 * once the value is read.
 */
async function readVersionIfAllowed(
  source: ValueSource,
  environment: SourceEnvironment,
): Promise<string | undefined> {
  try {
    return await readCurrentVersion(source, environment);
  } catch (error) {
    if (error instanceof SourceError && error.code === "refused") return undefined;
    throw error;
  }
}

/** Checks that the value has the declared field. Without permission, only apply detects a missing field. */
async function checkFieldIfAllowed(source: ValueSource, environment: SourceEnvironment): Promise<void> {
  try {
    await checkField(source, environment);
  } catch (error) {
    if (!(error instanceof SourceError && error.code === "refused")) throw error;
  }
}

/** Returns the version to record: the declared version, or else the source and its version. */
export async function pickVersionToRecord(
  source: ValueSource,
  declared: string | undefined,
  version: string | undefined,
  environment: SourceEnvironment,
): Promise<ValueVersion> {
  if (declared !== undefined) return { version: declared };
  const identity = await identifySource(source, environment);
  return { ...identity, ...(version !== undefined && { version }) };
}

/** Resolves the manifest's `fingerprint_key`, if declared. */
export async function resolveFingerprintKey(
  manifest: Manifest,
  environment: SourceEnvironment,
): Promise<Sealed | undefined> {
  return manifest.fingerprintKey && (await resolve(manifest.fingerprintKey, environment));
}

/** Codes of source problems that are the same for every user. */
const permanentProblems: ReadonlySet<string> = new Set([
  "not-found",
  "outside-project",
  "unreadable",
  "too-long",
  "malformed",
  "not-a-value",
]);

/** Codes of source problems that occur if this run has no access to the secret. A plan does not require access. */
const withheldProblems: ReadonlySet<string> = new Set(["unset", "refused", "not-allowed"]);

/** Classifies values that could not be read or compared. */
export function classifyUnresolved(
  rotation: Rotation | undefined,
  action: Action,
  fields: readonly FieldChange[],
): Pick<Change, "unread"> {
  if (action === "keep" && (rotation?.value === "unrecorded" || rotation?.value === "other-key"))
    return { unread: "unknown" };
  const problem = rotation && "problem" in rotation ? rotation.problem : undefined;
  if (!problem) return {};
  const isSent = fields.some(({ type }) => type === "write-only");
  if (!isSent && action !== "keep") return {};
  // A variable that is unset here may be set where the apply runs. Apply reads every value before the first write.
  if (permanentProblems.has(problem.code)) return { unread: "missing" };
  return { unread: withheldProblems.has(problem.code) ? "withheld" : "unknown" };
}
