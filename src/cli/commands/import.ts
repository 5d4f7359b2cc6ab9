import { readOnly, type Service } from "../../api/index.js";
import { nearest } from "../../diagnostics/index.js";
import { stateShowDocument } from "../../documents/index.js";
import { type Observed, observe, toStoredSpec } from "../../engine/index.js";
import { parseAddress, readableFields, sameValue, type Value } from "../../kinds/index.js";
import type { Declaration, Manifest } from "../../manifest/index.js";
import { renderJson, renderStateShowText } from "../../render/index.js";
import type { Entry, Intent, State } from "../../state/index.js";
import { idForm, isId } from "../../text/index.js";
import { type Call, isOn, type RunCommand } from "../command.js";
import { withService } from "../connect.js";
import { exitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import type { FoundObject } from "../import-write.js";
import { refuseOtherService } from "../planning.js";
import { loadProject, sourcesOf } from "../project.js";
import { entriesWithTimestamps } from "../reread.js";
import { withLock } from "../store.js";

/** The parts of an import: the declaration, the object's id, and what the state recorded for the address. */
interface Import {
  readonly declaration: Declaration;
  readonly id: string;
  readonly state: State | undefined;
}

export const command: RunCommand = async (call) => {
  const target = wantedOf(call);
  const manifest = await loadProject(call);
  const isDeclared = manifest.declarations.some(
    (declaration) => target !== "all" && declaration.address === target.address,
  );
  if (target === "all" || (isOn(call, "write") && !isDeclared)) {
    const { importIntoFiles } = await import("../import-write.js");
    return importIntoFiles(call, manifest, target);
  }
  if (isOn(call, "dryRun"))
    throw new UsageError("usage", `${target.address} is already declared: remove --write and --dry-run.`);
  const { id } = target;
  const declaration = declarationAt(target.address, manifest);
  refuseOtherId(declaration, id);
  return withLock(call, manifest, "import", (session) =>
    withService(call, manifest, async (service) => {
      const { state } = session;
      refuseOtherService(state, service);
      const binding = { declaration, id, state };
      if (isOn(call, "write") && isDone(binding)) {
        call.output.info(`${declaration.address} is already bound to ${id}; nothing to import.`);
        return exitCode.done;
      }
      refuseTaken(binding);
      const observed = await look(call, manifest, binding, readOnly(service));
      const entry = entryOf(binding, observed);
      await session.begin(service.baseUrl);
      await session.completeIntent(declaration.address, entry);
      if (observed.seen === "live") {
        const known = { address: declaration.address, kind: declaration.kind, id, entry };
        const settled = await entriesWithTimestamps(call, service, [
          { ...known, updatedAt: observed.live.updatedAt },
        ]);
        for (const [address, later] of settled) session.recordEntry(address, later);
      }
      show(call, binding, observed, await session.commit());
      return exitCode.done;
    }),
  );
};

function declarationAt(address: string, { declarations }: Manifest): Declaration {
  const found = declarations.find((declaration) => declaration.address === address);
  if (found) return found;
  const meant = nearest(
    address,
    declarations.map((declaration) => declaration.address),
  );
  const kind = parseAddress(address)?.kind;
  const writes = kind?.list ? ", or add --write" : "";
  const declare = kind
    ? `declare it under \`${kind.collection}:\` first${writes}.`
    : "an address is KIND.NAME.";
  const hint = meant ? `did you mean ${meant}? Otherwise ${declare}` : declare;
  throw new UsageError("unknown-address", `The files do not declare "${address}": ${hint}`);
}

/** What the arguments ask for: one object by id and address, or everything that no file declares. */
function wantedOf(call: Call): FoundObject {
  const [address, id] = call.arguments;
  const writes = isOn(call, "write");
  if (isOn(call, "all")) {
    if (writes && address === undefined) return "all";
    throw new UsageError("usage", "--all needs --write, and takes no ADDRESS or ID.");
  }
  if (isOn(call, "dryRun") && !writes) throw new UsageError("usage", "--dry-run needs --write.");
  if (typeof address === "string" && typeof id === "string") return { address, id: checkedId(id) };
  const all = writes ? ", or --all" : "";
  throw new UsageError("usage", `Missing ADDRESS and ID${all}, e.g. context.support 2c5faf09-…`);
}

function checkedId(id: string): string {
  if (isId(id)) return id;
  throw new UsageError("not-an-id", `${JSON.stringify(id)} is not an id: ids are ${idForm}.`);
}

/** For kinds with adopted identity, the id is written in the files only. */
function refuseOtherId({ address, kind, id: declared }: Declaration, id: string): void {
  if (declared === undefined || declared === id) return;
  const message = `${address} is declared with the id ${declared}. To use another ${kind.name}, change its id in the files; \`avatarops apply\` then adopts it.`;
  throw new UsageError("other-id", message);
}

/** With --write: the second run after an import that was interrupted at its very end. */
function isDone({ declaration: { address }, id, state }: Import): boolean {
  return state?.objects[address]?.id === id && !state.pending[address];
}

/** An object has one address, and an import does not change it. */
function refuseTaken({ declaration: { address, kind }, id, state }: Import): void {
  const holder = Object.entries(state?.objects ?? {}).find(
    ([other, entry]) => other !== address && entry.id === id && parseAddress(other)?.kind === kind,
  );
  if (holder) {
    const message = `${id} is already managed as ${holder[0]}. To rename it: \`avatarops state mv ${holder[0]} ${address}\`.`;
    throw new UsageError("already-managed", message);
  }
  const own = state?.objects[address];
  // Import resolves an interrupted write: only the user can tell which object it made.
  if (!own || state?.pending[address]) return;
  throw new UsageError(
    "already-managed",
    own.id === id
      ? `${address} is already bound to ${id}; nothing to import.`
      : `${address} is already bound to ${own.id}. To stop managing that object: \`avatarops state forget ${address}\`.`,
  );
}

/** Reads the object as a plan would if the state already had the id. */
async function look(call: Call, manifest: Manifest, binding: Import, service: Service): Promise<Observed> {
  const { address, kind } = binding.declaration;
  const state: State = {
    ...{ version: 1, lineage: "", serial: 0, service: service.baseUrl, pending: {} },
    objects: { [address]: { id: binding.id, applied: {} } },
  };
  const { objects } = await observe({
    ...{ manifest, state, service, refresh: "auto", targets: [address] },
    sources: sourcesOf(call, manifest),
    now: call.host.now,
    signal: call.signal,
  });
  const observed = objects.get(address);
  if (!observed) throw new Error(`Bug: ${address} was not observed`);
  if (observed.seen !== "absent") return observed;
  const message = `The account at ${service.baseUrl} has no ${kind.name} with the id ${binding.id}.`;
  throw new UsageError("unknown-id", message);
}

/**
 * The entry to record in the state. For an object that was read: its live values, so that differences in the
 * files are changes to apply, and later edits elsewhere are drift. For one that cannot be read: nothing, if
 * its fields can simply be written again; otherwise (secrets) what was sent, with its fingerprints if this
 * import ends a create whose answer was lost. In all other cases no fingerprint is recorded: the value in the
 * files need not be the stored one.
 */
function entryOf({ declaration, id, state }: Import, observed: Observed): Entry {
  const { address, kind, spec } = declaration;
  const old = state?.objects[address];
  if (observed.seen === "live") {
    const declared = Object.keys(spec).map((name): [string, Value] => [name, observed.live.spec[name] ?? ""]);
    const { updatedAt } = observed.live;
    return {
      id,
      applied: toStoredSpec(kind, Object.fromEntries(declared)),
      ...(observed.settled && updatedAt ? { inSyncAt: updatedAt } : {}),
      ...(old?.stale ? { stale: old.stale } : {}),
    };
  }
  if (kind.update) return { id, applied: {} };
  const intent = state?.pending[address];
  const superseded =
    old && intent && old.id !== id
      ? [{ id: old.id, label: labelOf(declaration, old), since: intent.at }]
      : [];
  const stale = [...(old?.stale ?? []), ...superseded];
  return {
    id,
    applied: intent?.sent ?? toStoredSpec(kind, spec),
    ...(intent?.fingerprints ? { fingerprints: intent.fingerprints } : {}),
    ...versionsOf(declaration, intent),
    ...(intent?.fingerprints ? { writtenAt: intent.at } : {}),
    ...(stale.length > 0 ? { stale } : {}),
  };
}

/** What an interrupted create sent, otherwise what is declared: nothing else tells a version of the object. */
function versionsOf({ versions = {} }: Declaration, intent: Intent | undefined): Pick<Entry, "versions"> {
  const declared = Object.entries(versions).map(([field, version]) => [field, { version }]);
  const known = intent ? intent.versions : Object.fromEntries(declared);
  return known && Object.keys(known).length > 0 ? { versions: known } : {};
}

function labelOf({ kind, spec }: Declaration, { applied }: Entry): string {
  const label = applied[kind.label] ?? spec[kind.label];
  return typeof label === "string" ? label : "";
}

function show({ output }: Call, { declaration, id }: Import, observed: Observed, state: State): void {
  const { address, kind, spec } = declaration;
  const document = stateShowDocument(state, address);
  if (!document) throw new Error(`Bug: ${address} was imported but is not in the state`);
  output.result(
    output.format === "json" ? renderJson(document) : renderStateShowText(document, output.stdoutText),
  );
  if (observed.seen !== "live") {
    output.warn(
      `Not verified: the service cannot read a ${kind.name}, so avatarops trusts that ${id} exists.`,
    );
    return;
  }
  const differing = readableFields(kind)
    .filter(([name]) => spec[name] !== undefined)
    .filter(([name, field]) => !sameValue(field, spec[name], observed.live.spec[name]))
    .map(([name]) => name);
  if (differing.length > 0) {
    const fields = differing.join(", ");
    output.info(
      `The files differ in ${fields}: \`avatarops apply\` writes them, \`avatarops pull ${address}\` takes the live text.`,
    );
  }
}
