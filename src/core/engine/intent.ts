import { type Action, actionFacts, type Kind } from "../kinds/index.js";
import { makeFingerprint, type WriteOnlyValues } from "../lifecycle/index.js";
import { findDeclaration } from "../manifest/index.js";
import { createStateKey, resolveWithVersion, type Sealed, SourceError } from "../secrets/index.js";
import type { Intent, ValueVersion } from "../state/index.js";
import type { ApplyInput } from "./apply-input.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import type { UnresolvedSource } from "./observation.js";
import { type Change, isWithheld } from "./plan-types.js";
import { pickVersionToRecord, resolveFingerprintKey } from "./rotation.js";
import { toStoredSpec } from "./stored-form.js";

/** Values that are sent but never read back. */
interface ResolvedValues {
  readonly values: WriteOnlyValues;
  /** Known versions by field. */
  readonly versions: Readonly<Record<string, ValueVersion>>;
}

export async function resolveWriteOnlyValues(
  { manifest, sources }: ApplyInput,
  change: Change,
): Promise<ResolvedValues> {
  const fields = change.fields.filter(({ type }) => type === "write-only");
  if (fields.length === 0) return { values: {}, versions: {} };
  const declaration = findDeclaration(manifest, change.address);
  const values: Record<string, Sealed> = {};
  const versions: Record<string, ValueVersion> = {};
  for (const { field } of fields) {
    const source = declaration?.sources[field];
    if (!source || !declaration) throw new Error(`Bug: no source of ${change.address}.${field}`);
    const { value, version } = await resolveWithVersion(source, sources);
    values[field] = value;
    versions[field] = await pickVersionToRecord(source, declaration.versions?.[field], version, sources);
  }
  return { values, versions };
}

/**
 * Reads every value that the plan sends, and caches it for the writes. Returns the problems by address, or none after a
 * cancellation, because the apply reports the cancellation.
 */
export async function findUnreadableValues(
  input: ApplyInput,
): Promise<ReadonlyMap<string, UnresolvedSource>> {
  const { plan, manifest, sources, signal, overwriteDrift } = input;
  const sending = plan.changes.filter(
    (change) =>
      change.wanted &&
      !isWithheld(change, overwriteDrift) &&
      change.fields.some(({ type }) => type === "write-only"),
  );
  const unread = await mapConcurrent(maxConcurrentReads, sending, async (change) => {
    try {
      await resolveWriteOnlyValues(input, change);
      await resolveFingerprintKey(manifest, sources);
      return [];
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const { code, message } = error;
      return [[change.address, { code, message }] as const];
    }
  });
  return new Map(signal?.aborted ? [] : unread.flat());
}

/** Builds the journal entry for a write, without secret values. */
export async function buildIntent(
  input: ApplyInput,
  change: Change,
  kind: Kind,
  { values, versions }: ResolvedValues,
): Promise<Intent> {
  const { address, action, label, id, known = [] } = change;
  if (!isWrite(action)) throw new Error(`Bug: ${action} writes nothing`);
  const creates = actionFacts[action].sends === "create";
  const fingerprints = await makeFingerprints(input, values);
  return {
    address,
    action,
    label,
    ...(!creates && id !== undefined && { id }),
    // Leaves out undeclared fields, although an update sends their live values. If recorded, they would count as
    // managed and later be cleared.
    sent: toStoredSpec(kind, change.wanted ?? {}),
    ...(fingerprints && { fingerprints }),
    ...(Object.keys(versions).length > 0 && { versions }),
    known,
    // Uses the service's clock, because this time is compared with creation times.
    at: new Date(input.service.getServerTime() ?? input.system.now()).toISOString(),
  };
}

function isWrite(action: Action): action is Intent["action"] {
  return actionFacts[action].sends !== undefined;
}

async function makeFingerprints(
  input: ApplyInput,
  values: WriteOnlyValues,
): Promise<Record<string, string> | undefined> {
  if (Object.keys(values).length === 0) return undefined;
  const { session, manifest, sources } = input;
  const stateKey = session.state?.fingerprintKey ?? createStateKey(input.system);
  if (session.state?.fingerprintKey === undefined) await session.setFingerprintKey(stateKey);
  const extra = await resolveFingerprintKey(manifest, sources);
  const made: Record<string, string> = {};
  for (const [field, value] of Object.entries(values)) {
    made[field] = await makeFingerprint(value, stateKey, extra, input.system);
  }
  return made;
}
