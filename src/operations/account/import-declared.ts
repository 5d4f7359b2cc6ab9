import { findNearest, UsageError } from "../../base/diagnostics/index.js";
import { isSameId } from "../../base/text/index.js";
import { restrictToReads, type Service } from "../../core/api/index.js";
import {
  type Observed,
  observe,
  toStoredSpec,
  toSuperseded,
  wasSentByIntent,
} from "../../core/engine/index.js";
import { parseAddress, type Value } from "../../core/kinds/index.js";
import type { Declaration, Manifest } from "../../core/manifest/index.js";
import type { Intent, State, StateEntry, StateWriter } from "../../core/state/index.js";
import { readEntryTimestamps } from "../files/entries-with-timestamps.js";
import { toAccountSpelling } from "../files/read-account.js";
import { assertSameService } from "../plan/plan.js";
import { withService } from "../project/connect.js";
import { createSourceEnvironment } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { withLock } from "../state/project-store.js";
import { assertAddressFree } from "../state/state-changes.js";

/** The newly managed object. */
export interface ImportResult {
  readonly declaration: Declaration;
  readonly observed: Observed;
  readonly state: State;
}

/**
 * Starts managing a declared object.
 *
 * @throws UsageError
 */
export async function importDeclared(
  runtime: Runtime,
  project: Project,
  { address, id: given }: { readonly address: string; readonly id: string },
): Promise<ImportResult> {
  const declaration = findDeclaration(address, project);
  assertDeclaredId(declaration, given);
  return withLock(runtime, project, "import", (session) =>
    withService(runtime, project, async (service) => {
      const { state } = session;
      assertSameService(state, service);
      const id = await toAccountSpelling(declaration.kind, given, restrictToReads(service));
      assertAddressFree({ address, kind: declaration.kind, id }, project, state);
      const observed = await readObject(runtime, project, declaration, id, restrictToReads(service));
      const entry = toEntry(declaration, id, observed, session);
      await session.begin(service.baseUrl);
      session.completeIntent(address, entry);
      if (observed.seen === "live") {
        const known = { address, kind: declaration.kind, id, entry, updatedAt: observed.live.updatedAt };
        for (const [at, later] of await readEntryTimestamps(runtime, service, [known]))
          session.recordEntry(at, later);
      }
      return { declaration, observed, state: await session.commit() };
    }),
  );
}

function findDeclaration(address: string, { declarations, service }: Manifest): Declaration {
  const found = declarations.find((declaration) => declaration.address === address);
  if (found) return found;
  const meant = findNearest(
    address,
    declarations.map((declaration) => declaration.address),
  );
  const kind = parseAddress(address, service.profile)?.kind;
  const writes = kind?.list ? ", or add --write" : "";
  const declare = kind
    ? `Declare it under \`${kind.collection}:\` first${writes}.`
    : "Addresses have the form KIND.NAME.";
  const hint = meant ? `Did you mean ${meant}? ${declare}` : declare;
  throw new UsageError("unknown-address", `The files do not declare "${address}". ${hint}`);
}

/** Rejects an id other than the declared one. The id of an adopted object comes from the files. */
function assertDeclaredId({ address, kind, id: declared }: Declaration, id: string): void {
  if (declared === undefined || isSameId(declared, id)) return;
  const message = `${address} is declared with the id ${declared}. To use another ${kind.name}, change the id in the files. \`avatarops apply\` then adopts it.`;
  throw new UsageError("other-id", message);
}

/** Reads the object as if the state already had its id. */
async function readObject(
  runtime: Runtime,
  manifest: Manifest,
  { address, kind }: Declaration,
  id: string,
  service: Service,
): Promise<Observed> {
  const state: State = {
    ...{ version: 1, lineage: "", serial: 0, service: service.baseUrl, pending: {} },
    objects: { [address]: { id, applied: {} } },
  };
  const { objects } = await observe({
    ...{ manifest, state, service, refresh: "auto", targets: [address] },
    sources: createSourceEnvironment(runtime, manifest),
    system: runtime.host,
    signal: runtime.signal,
  });
  const observed = objects.get(address);
  if (!observed) throw new Error(`Bug: ${address} was not observed`);
  // If no object has the id, the observation falls back to another object with the declared name.
  const isOther = observed.seen === "live" && observed.recreated;
  if (!isOther && !["absent", "unconfirmed", "several"].includes(observed.seen)) return observed;
  const message = `The account at ${service.baseUrl} has no ${kind.name} with the id ${id}. Check the id and the API key.`;
  throw new UsageError("unknown-id", message);
}

/**
 * Builds the state entry from live values. Differences in the files are then planned as changes, and later edits
 * elsewhere as drift.
 */
function toEntry(
  declaration: Declaration,
  id: string,
  observed: Observed,
  { state, keepText }: StateWriter,
): StateEntry {
  const { address, kind, spec } = declaration;
  const old = state?.objects[address];
  const pending = state?.pending[address];
  // An interrupted rotation left the old object unchanged.
  if (!kind.update && old && isSameId(old.id, id)) return old;
  // The imported object may have been superseded before.
  const superseded = (old?.superseded ?? []).filter((one) => !isSameId(one.id, id));
  if (!kind.update && old && pending) superseded.push(toSuperseded(old, kind, pending.label, pending.at));
  const left = superseded.length > 0 ? { superseded } : {};
  // Write-only values are known only if an interrupted create sent them. The secret in the account may have a value
  // that differs from the declared one.
  const isOther =
    pending?.known.includes(id) ||
    (pending && observed.seen === "live" && !wasSentByIntent(kind, pending, observed.live));
  const intent = kind.update || isOther ? undefined : pending;
  const sent = {
    ...(intent?.fingerprints ? { fingerprints: intent.fingerprints, writtenAt: intent.at } : {}),
    ...toVersions(declaration, intent),
  };
  if (observed.seen === "live") {
    const declared = Object.keys(spec).map((name): [string, Value] => [name, observed.live.spec[name] ?? ""]);
    const { updatedAt } = observed.live;
    return {
      id,
      applied: toStoredSpec(kind, Object.fromEntries(declared), keepText),
      ...(observed.hasReliableTimestamp && updatedAt ? { inSyncAt: updatedAt } : {}),
      ...(intent ? sent : {}),
      ...left,
    };
  }
  // The object cannot be read. Without recorded values, the next apply writes all fields.
  if (kind.update) return { id, applied: {} };
  return { id, applied: intent?.sent ?? toStoredSpec(kind, spec, keepText), ...sent, ...left };
}

/** Returns the versions sent by an interrupted create, or else the declared ones. */
function toVersions(
  { versions = {} }: Declaration,
  intent: Intent | undefined,
): Pick<StateEntry, "versions"> {
  const declared = Object.entries(versions).map(([field, version]) => [field, { version }]);
  const known = intent ? intent.versions : Object.fromEntries(declared);
  return known && Object.keys(known).length > 0 ? { versions: known } : {};
}
