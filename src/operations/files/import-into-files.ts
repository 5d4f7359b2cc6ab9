import { type Diagnostic, UsageError } from "../../base/diagnostics/index.js";
import { restrictToReads, type Service } from "../../core/api/index.js";
import { findUndeclared, toStoredSpec } from "../../core/engine/index.js";
import {
  areValuesEqual,
  describeMissing,
  type Kind,
  kinds,
  type ListedObject,
  listKinds,
  parseAddress,
  type RemoteObject,
  toAddress,
  toListing,
} from "../../core/kinds/index.js";
import {
  createNameGenerator,
  declareObjects,
  defaultPolicies,
  isLogicalName,
  listTakenNames,
  loadManifest,
  type Manifest,
  type NewDeclarations,
  toDeclaredSpec,
  undoDeclarations,
  writeDeclarations,
} from "../../core/manifest/index.js";
import type { State, StateEntry, StateWriter } from "../../core/state/index.js";
import { type ImportDocument, toImportDocument } from "../../output/documents/index.js";
import { findErrors } from "../../review/policy/index.js";
import { assertSameService, findCandidates, makePlan } from "../plan/plan.js";
import { withService } from "../project/connect.js";
import { toLoadOptions } from "../project/open-project.js";
import { runInFolder } from "../runtime/run-in-folder.js";
import type { Runtime } from "../runtime/runtime.js";
import { splitAddress } from "../state/project-history.js";
import { readState, withLock } from "../state/project-store.js";
import { assertAddressFree } from "../state/state-changes.js";
import { readAccountWithTimestamps } from "./entries-with-timestamps.js";
import {
  type AccountObject,
  type AccountObjects,
  readListedObjects,
  toAccountSpelling,
  toNewObject,
} from "./read-account.js";

/*
 * Adds objects from the account to the files.
 *
 * Writes the state before the files, so that an interrupted import can be repeated with the recorded names. With the
 * files alone, a second run could not tell objects with the same name apart.
 */

/** Objects to import: one by id and address, or all undeclared ones. */
export type ImportTarget = { readonly address: string; readonly id: string } | "all";

/** Result of an import or a dry run. */
export interface ImportReport {
  readonly document: ImportDocument;
  /** Whether some objects are not imported: unread, ambiguous or impossible to declare. */
  readonly isPartial: boolean;
  /** Whether some objects cannot be declared. */
  readonly isRefused: boolean;
}

/** Declares objects of the account in the files, and records them in the state. */
export async function importIntoFiles(
  runtime: Runtime,
  manifest: Manifest,
  target: ImportTarget,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<ImportReport> {
  if (dryRun) {
    const state = await readState(runtime, manifest);
    return withService(runtime, manifest, async (service) =>
      buildReport(await prepare({ runtime, manifest, state, service }, target, dryRun), dryRun),
    );
  }
  return withLock(runtime, manifest, "import", (session) =>
    withService(runtime, manifest, async (service) => {
      const work = await prepare({ runtime, manifest, state: session.state, service }, target, dryRun);
      await runtime.runToEnd(() => importObjects(runtime, manifest, session, service.baseUrl, work));
      return buildReport(work, dryRun);
    }),
  );
}

interface ImportContext {
  readonly found: readonly AccountObject[];
  readonly declarations: NewDeclarations;
  /** Messages about objects and fields that are left out. */
  readonly leftOut: readonly string[];
  /** Whether some objects are not imported: unread, ambiguous or impossible to declare. */
  readonly isPartial: boolean;
  /** Whether some objects cannot be declared. */
  readonly isRefused: boolean;
}

async function prepare(input: ImportInput, target: ImportTarget, dryRun: boolean): Promise<ImportContext> {
  assertSameService(input.state, input.service);
  const account: AccountObjects =
    target === "all"
      ? await readUndeclared(input)
      : {
          objects: [await readImported(input, target.address, target.id)],
          leftOut: [],
          undeclarable: [],
          unread: [],
        };
  const settled = dryRun ? account : await readAccountWithTimestamps(input.runtime, input.service, account);
  const { leftOut, undeclarable, unread } = settled;
  const { objects, broken } = removeViolations(settled.objects, input.manifest);
  if (target !== "all" && broken.length > 0) throw new UsageError("undeclarable", broken.join(" "));
  const declarations = declareObjects(input.manifest, objects.map(toNewObject));
  const refused = declarations.refused.map(
    ({ object: { kind, key }, reason }) => `${toAddress(kind, key)} cannot be declared: ${reason}.`,
  );
  const impossible = [...undeclarable, ...broken, ...refused];
  if (target !== "all" && refused.length > 0) throw new UsageError("undeclarable", refused.join(" "));
  return {
    found: objects,
    declarations,
    leftOut: [...leftOut, ...unread, ...impossible],
    isPartial: unread.length + impossible.length > 0,
    isRefused: impossible.length > 0,
  };
}

/** Leaves out objects that violate a project policy, because they would block every plan. */
function removeViolations(
  all: readonly AccountObject[],
  { policies = defaultPolicies }: Manifest,
): { readonly objects: readonly AccountObject[]; readonly broken: readonly string[] } {
  const broken: string[] = [];
  const objects = all.filter((object) => {
    const [found] = findErrors(policies, object);
    if (!found) return true;
    broken.push(
      `${object.address} (${object.live.id}) cannot be declared: ${found.message}. Correct it in the account, or change \`policies.${found.rule}\`.`,
    );
    return false;
  });
  return { objects, broken };
}

async function importObjects(
  runtime: Runtime,
  manifest: Manifest,
  session: StateWriter,
  service: string,
  { found, declarations }: ImportContext,
): Promise<void> {
  const addresses = new Set(declarations.declared.map(({ object: { kind, key } }) => toAddress(kind, key)));
  const adopted = found.filter(({ address }) => addresses.has(address));
  const state = await session.begin(service);
  const before = adopted.map(({ address }) => [address, state.objects[address]] as const);
  for (const object of adopted) session.completeIntent(object.address, toEntry(object, session));
  await session.flush();
  try {
    await runInFolder(manifest.root, () => writeDeclarations(manifest.root, declarations));
    await verifyByReloading(runtime, manifest, adopted, declarations);
  } catch (error) {
    for (const [address, entry] of before) session.completeIntent(address, entry);
    await session.commit();
    throw error;
  }
  await session.commit();
}

/** Builds the state entry for an object whose files match the live object. */
function toEntry(
  { kind, address, live, spec, hasReliableTimestamp }: AccountObject,
  { state, keepText }: StateWriter,
): StateEntry {
  const superseded = state?.objects[address]?.superseded;
  return {
    id: live.id,
    applied: toStoredSpec(kind, toDeclaredSpec(kind, spec), keepText),
    ...(hasReliableTimestamp && live.updatedAt ? { inSyncAt: live.updatedAt } : {}),
    ...(superseded ? { superseded } : {}),
  };
}

/** Loads the project again. If it does not declare the intended objects, restores the files. */
async function verifyByReloading(
  runtime: Runtime,
  manifest: Manifest,
  adopted: readonly AccountObject[],
  declarations: NewDeclarations,
): Promise<void> {
  const { manifest: now, diagnostics } = await loadManifest(toLoadOptions(runtime));
  const declared = new Map(now?.declarations.map((declaration) => [declaration.address, declaration]));
  const wrong = adopted.find(({ address, kind, spec, live }) => {
    const declaration = declared.get(address);
    const fields = Object.entries(kind.fields);
    const expected = toDeclaredSpec(kind, spec);
    const isSame = fields.every(([name, field]) =>
      areValuesEqual(field, declaration?.spec[name], expected[name]),
    );
    const isOther = declaration?.id !== undefined && declaration.id.toLowerCase() !== live.id.toLowerCase();
    return !declaration || !isSame || isOther;
  });
  if (!wrong) return;
  await undoDeclarations(manifest.root, declarations);
  const problem = diagnostics.find(({ severity }) => severity === "error");
  throw new UsageError(
    "undeclarable",
    `The import would write files that do not match the account: ${describeMismatch(wrong, problem, declarations)}. Nothing was changed.`,
  );
}

/** Names the error's location, and the object if it alone would be written to that file. */
function describeMismatch(
  { address }: AccountObject,
  problem: Diagnostic | undefined,
  { declared }: NewDeclarations,
): string {
  if (!problem) return `${address} would not match its live object`;
  const { location, message } = problem;
  if (!location) return message;
  const concerned = declared.filter(
    ({ object: { sources = {} }, file }) =>
      file === location.file ||
      Object.values(sources).some((source) => "path" in source && source.path === location.file),
  );
  const [only] = concerned.length === 1 ? concerned : [];
  const name = only ? `${toAddress(only.object.kind, only.object.key)}: ` : "";
  return `${name}${location.file}:${location.line}: ${message}`;
}

async function buildReport(
  { found, declarations, leftOut, isPartial, isRefused }: ImportContext,
  dryRun: boolean,
): Promise<ImportReport> {
  const { added, edited, declared, inCode } = declarations;
  const toShownObjects = (all: NewDeclarations["declared"]) => {
    const files = new Map(all.map(({ object: { kind, key }, file }) => [toAddress(kind, key), file]));
    return found.flatMap(({ address, live: { id, label } }) => {
      const file = files.get(address);
      return file === undefined ? [] : [{ address, id, label, file }];
    });
  };
  const document = toImportDocument({
    dry_run: dryRun,
    imported: toShownObjects(declared),
    to_paste: toShownObjects(inCode),
    ...(inCode.length > 0 && {
      code: (await import("../../core/constructs/index.js")).printStatements(
        inCode.map(({ object }) => object),
      ),
    }),
    files: [...added, ...edited].map(({ file }) => file),
    left_out: leftOut,
  });
  return { document, isPartial, isRefused };
}

interface ImportInput {
  readonly runtime: Runtime;
  readonly manifest: Manifest;
  readonly state: State | undefined;
  readonly service: Service;
}

/**
 * Reads the object to declare at an address.
 *
 * @throws UsageError if it does not exist, is already declared, or cannot be declared.
 */
async function readImported(input: ImportInput, address: string, given: string): Promise<AccountObject> {
  const { runtime, manifest, service } = input;
  const { kind, key } = parseNewAddress(address, manifest);
  const id = await toAccountSpelling(kind, given, restrictToReads(service));
  assertUndeclared(manifest, kind, id);
  assertAddressFree({ address, kind, id }, manifest, input.state);
  const reading = restrictToReads(service);
  const listed = await findListed(kind, id, reading);
  if (!listed) {
    const advice = kind.read ? "" : " Declare it by hand, and import it without --write.";
    const message = `No ${kind.name} with the id ${id} was found in the account at ${service.baseUrl}.${advice}`;
    throw new UsageError("unknown-id", message);
  }
  const { objects, leftOut, undeclarable, unread } = await readListedObjects(
    reading,
    runtime.host.now,
    kind,
    [listed],
    () => key,
  );
  const [found] = objects;
  if (!found) throw new UsageError("undeclarable", [...leftOut, ...undeclarable, ...unread].join(" "));
  assertNotClaimedByName(input, found);
  for (const sentence of leftOut) runtime.output.warn(sentence);
  return found;
}

/** Reads all undeclared objects and chooses their names. */
async function readUndeclared({ runtime, manifest, state, service }: ImportInput): Promise<AccountObjects> {
  const { plan, observation } = await makePlan(runtime, { manifest, state, service, undeclared: true });
  const undecided = findCandidates(plan);
  const held = new Map(
    Object.entries(state?.objects ?? {}).map(([of, { id }]) => [
      `${of.split(".")[0]} ${id.toLowerCase()}`,
      of,
    ]),
  );
  const readKinds = () =>
    listKinds(manifest.service.profile).map((kind) => {
      const undeclared = findUndeclared(kind, observation, plan.changes, state);
      const listed = undeclared.filter(({ id }) => !undecided.has(id));
      const newName = createNameGenerator([...listTakenNames(manifest, kind), ...listKeys(state, kind)]);
      // An object that is in the state but not declared keeps its recorded name.
      const chooseName = ({ id, label }: RemoteObject) =>
        parseAddress(held.get(`${kind.name} ${id.toLowerCase()}`) ?? "")?.key ?? newName(label);
      return readListedObjects(restrictToReads(service), runtime.host.now, kind, listed, chooseName);
    });
  const read = await runtime.output.reading(service, () => Promise.all(readKinds()));
  const unclear = [...undecided].map(
    ([id, address]) => `${id} may be ${address}. \`avatarops plan\` shows how to decide.`,
  );
  const missing = kinds.flatMap((kind) => {
    const doubt = observation.listings.get(kind.name)?.doubt;
    return doubt ? [describeMissing(kind, doubt)] : [];
  });
  return {
    objects: read.flatMap(({ objects }) => objects),
    leftOut: read.flatMap(({ leftOut }) => leftOut),
    undeclarable: read.flatMap(({ undeclarable }) => undeclarable),
    unread: [...read.flatMap(({ unread }) => unread), ...unclear, ...missing],
  };
}

function listKeys(state: State | undefined, kind: Kind): string[] {
  return Object.keys(state?.objects ?? {}).flatMap((address) => {
    const parsed = parseAddress(address);
    return parsed?.kind.name === kind.name ? [parsed.key] : [];
  });
}

function parseNewAddress(address: string, { service: { profile } }: Manifest): { kind: Kind; key: string } {
  const { kind, key } = splitAddress(address, profile);
  if (!kind.list && !kind.read) {
    const message = `The service cannot read objects of the kind ${kind.name}. Declare the object under \`${kind.collection}:\` first, and import it without --write.`;
    throw new UsageError("unreadable-kind", message);
  }
  if (!isLogicalName(key)) {
    const rule = "letters, digits, - and _, starting with a letter or digit";
    throw new UsageError("invalid-name", `${JSON.stringify(key)} is not a valid name. Use ${rule}.`);
  }
  return { kind, key };
}

/** Rejects an id that the files already declare for an adopted object. */
function assertUndeclared({ declarations }: Manifest, kind: Kind, id: string): void {
  const declared = declarations.find(
    (declaration) =>
      declaration.kind.name === kind.name && declaration.id?.toLowerCase() === id.toLowerCase(),
  );
  if (declared)
    throw new UsageError(
      "already-declared",
      `${declared.address} is already declared with that id, so there is nothing to import.`,
    );
}

/**
 * Rejects an object if a declaration that is not managed yet has the same name, because the next apply would adopt the
 * object for that declaration.
 */
function assertNotClaimedByName({ manifest, state }: ImportInput, { kind, live }: AccountObject): void {
  if (kind.identity !== "created") return;
  const rival = manifest.declarations.find(
    (declaration) =>
      declaration.kind.name === kind.name &&
      !state?.objects[declaration.address] &&
      declaration.spec[kind.label] === live.label,
  );
  if (!rival) return;
  const message = `${rival.address} declares the ${kind.label} ${JSON.stringify(live.label)} and is not bound to an object yet. To bind it to ${live.id}: \`avatarops import ${rival.address} ${live.id}\`.`;
  throw new UsageError("already-declared", message);
}

/** Reads an object by id. If its kind cannot be read, searches the list. Returns undefined if no object has the id. */
async function findListed(kind: Kind, id: string, service: Service): Promise<ListedObject | undefined> {
  const live = await kind.read?.(service, id);
  if (live) return { id, label: live.label, live };
  if (kind.read) return undefined;
  const lookup = kind.list && toListing(kind.list, await kind.list.read(service, {})).findById(id);
  return lookup?.outcome === "found" ? lookup.found : undefined;
}
