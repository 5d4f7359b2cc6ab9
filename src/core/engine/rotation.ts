import { isDeepStrictEqual } from "node:util";
import { abbreviate } from "../../base/text/index.js";
import type { Action } from "../kinds/index.js";
import { secretChange } from "../lifecycle/index.js";
import type { Manifest } from "../manifest/index.js";
import {
  currentVersion,
  isEnv,
  isFile,
  resolve,
  resolveWithVersion,
  type Sealed,
  type SourceEnvironment,
  SourceError,
  sourceIdentity,
  type ValueSource,
} from "../secrets/index.js";
import type { State, ValueVersion } from "../state/index.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import type { Rotation, SourceProblem } from "./observation.js";
import type { Change, FieldChange } from "./plan-types.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/*
 * Whether a write-only value is the last one sent, by the first of these that can tell:
 *
 * 1. the version beside it in the declaration, if one was recorded: only it decides, and nothing is read;
 * 2. the version that its source gives without the value, if one of the same source was recorded. A plan then needs no
 *    right to read values, and is the same whoever makes it: an unchanged version is an unchanged value, and another
 *    version another value;
 * 3. the fingerprint, for which the value is read.
 */

/** Checks whether the write-only values of each declaration are the last ones sent. */
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

interface Observing {
  readonly manifest: Manifest;
  readonly state: State | undefined;
  readonly declared: TrackedDeclaration;
  readonly environment: SourceEnvironment;
}

async function observeRotation(observing: Observing): Promise<Rotation> {
  let found: Rotation = { value: "same" };
  const versions: Record<string, ValueVersion> = {};
  for (const [field, source] of Object.entries(observing.declared.declaration.sources)) {
    const { learnt, ...seen } = await observeValue(observing, field, source).catch(
      (error: unknown): Seen => ({ value: "unavailable", problem: toProblem(error, source) }),
    );
    if (seen.value === "changed") return seen;
    if (seen.value !== "same") found = seen;
    if (learnt) versions[field] = learnt;
  }
  return found.value === "same" && Object.keys(versions).length > 0 ? { ...found, versions } : found;
}

/** `learnt`: the version of the value as it was sent, not recorded yet. */
type Seen = Rotation & { readonly learnt?: ValueVersion | undefined };

async function observeValue(observing: Observing, field: string, source: ValueSource): Promise<Seen> {
  const { manifest, state, environment } = observing;
  const { declaration, entry } = observing.declared;
  const declared = declaration.versions?.[field];
  const recorded = entry?.versions?.[field];
  const made = entry?.fingerprints?.[field];
  if (declared !== undefined && recorded?.version !== undefined && recorded.source === undefined)
    return inFiles(compareVersions(field, recorded.version, declared));
  // Nothing else is known of an imported object: it is taken to be of the version that is declared.
  if (declared !== undefined && entry && made === undefined)
    return { value: "same", learnt: { version: declared } };
  const identity = await sourceIdentity(source, environment);
  const isSame = recorded?.source === identity.source;
  if (recorded?.written !== undefined && !isSame && recorded.written !== identity.written)
    return fromAnother(field, source, environment);
  const known = isSame && declared === undefined ? recorded.version : undefined;
  if (known !== undefined || (declared === undefined && !entry)) {
    const current = await versionIfAllowed(source, environment);
    if (current !== undefined) {
      if (known !== undefined) return compareVersions(field, known, current);
      await checkField(source, environment);
      return { value: "unrecorded" };
    }
  }
  const { value, version } = await resolveWithVersion(source, environment);
  // As for those who may ask for versions, so that the plan does not depend on rights.
  if (known !== undefined && version !== undefined) return compareVersions(field, known, version);
  const key = state?.fingerprintKey;
  if (made === undefined || key === undefined) return { value: "unrecorded" };
  const change = await secretChange(
    value,
    { made, key },
    await extraKey(manifest, environment),
    environment.system,
  );
  if (change !== "same") return { value: change };
  const next = await versionToRecord(source, declared, version, environment);
  return { value: change, learnt: isDeepStrictEqual(next, recorded) ? undefined : next };
}

/**
 * A value that comes from another source counts as changed, and is not read: a plan then needs no right to read it, and is
 * the same whoever makes it.
 */
async function fromAnother(
  field: string,
  source: ValueSource,
  environment: SourceEnvironment,
): Promise<Seen> {
  const changed = {
    value: "changed",
    because: anotherSourceNote(field),
    inFiles: true,
  } as const;
  try {
    // What is on this machine has no version, and its value is no secret here.
    if (isEnv(source) || isFile(source)) await resolve(source, environment);
    else {
      await versionIfAllowed(source, environment);
      await checkField(source, environment);
    }
    return changed;
  } catch (error) {
    return { ...changed, problem: toProblem(error, source) };
  }
}

/** The note of a value that comes from another source, for plans that do not show which. */
export function anotherSourceNote(field: string): string {
  return `${field}: comes from another source.`;
}

function inFiles(rotation: Rotation): Rotation {
  return rotation.value === "changed" ? { ...rotation, inFiles: true } : rotation;
}

/** What a variable of the environment is that has no value, by the code of the error; undefined: the error says it. */
const unset: Readonly<Record<string, string | undefined>> = {
  "not-set": "is not set",
  empty: "is empty",
  "not-a-value": undefined,
};

function toProblem(error: unknown, source: ValueSource): SourceProblem {
  if (!(error instanceof SourceError)) throw error;
  const { code, message } = error;
  if (!isEnv(source) || !Object.hasOwn(unset, code)) return { code, message };
  // The job that applies may have it.
  const { [code]: is = undefined } = unset;
  return { code: "unset", message: `${is ? `The ${error.source} ${is} here.` : message} Apply needs it.` };
}

function compareVersions(field: string, before: string, now: string): Rotation {
  if (before === now) return { value: "same" };
  return { value: "changed", because: `${field}: version ${shown(before)} → ${shown(now)}.`, version: now };
}

/** A vault's version is text from outside. */
function shown(version: string): string {
  const text = abbreviate(version, 60);
  return /^[\w.:/+=…-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Without the right to read it, the version comes with the value. */
async function versionIfAllowed(
  source: ValueSource,
  environment: SourceEnvironment,
): Promise<string | undefined> {
  try {
    return await currentVersion(source, environment);
  } catch (error) {
    if (error instanceof SourceError && error.code === "refused") return undefined;
    throw error;
  }
}

/** No version shows whether a secret has the field. Whoever may not read the value finds out when it is applied. */
async function checkField(source: ValueSource, environment: SourceEnvironment): Promise<void> {
  if (source.field === undefined) return;
  try {
    await resolve(source, environment);
  } catch (error) {
    if (!(error instanceof SourceError && error.code === "refused")) throw error;
  }
}

/** What to record of a value: the declared version, otherwise its source, with the version that came with it. */
export async function versionToRecord(
  source: ValueSource,
  declared: string | undefined,
  version: string | undefined,
  environment: SourceEnvironment,
): Promise<ValueVersion> {
  if (declared !== undefined) return { version: declared };
  const identity = await sourceIdentity(source, environment);
  return { ...identity, ...(version !== undefined && { version }) };
}

/** The manifest's key for fingerprints, if one is declared. */
export async function extraKey(
  manifest: Manifest,
  environment: SourceEnvironment,
): Promise<Sealed | undefined> {
  return manifest.fingerprintKey && (await resolve(manifest.fingerprintKey, environment));
}

/** Problems of a source that are the same for everybody who reads it. */
const absent: ReadonlySet<string> = new Set([
  "not-found",
  "outside-project",
  "unreadable",
  "too-long",
  "malformed",
  "not-a-value",
]);

/** Whether the value of a change could be read, and a kept one compared. */
export function findUnread(
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
  // A variable that is unset here may be set where it is applied, which reads every value before the first write.
  return { unread: absent.has(problem.code) ? "missing" : "unknown" };
}
