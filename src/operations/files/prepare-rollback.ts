import { isDeepStrictEqual } from "node:util";
import { openSourceFile, UsageError } from "../../base/diagnostics/index.js";
import { listNames } from "../../base/text/index.js";
import { listChangedFields, type Notice } from "../../core/engine/index.js";
import type { PastState } from "../../core/history/index.js";
import {
  areValuesEqual,
  getEmptyValue,
  type Kind,
  listReadableFields,
  listWriteOnlyFields,
  type ProfileName,
  parseAddress,
  type Spec,
  suggestAddress,
  type Value,
} from "../../core/kinds/index.js";
import type { Declaration, Manifest } from "../../core/manifest/index.js";
import type { State, StateEntry } from "../../core/state/index.js";
import { findDeletedSince, type ProjectHistory } from "../state/project-history.js";
import type { FieldToWrite, RefusedEdit } from "./field-to-write.js";
import { type PreparedEdits, prepareEdits } from "./prepare-edits.js";

/** Target of a rollback, with the edits that restore it in the files. */
export interface Rollback {
  /** Manifest with the declarations of the earlier state. */
  readonly manifest: Manifest;
  /** Addresses of objects that differ from the earlier state. */
  readonly targets: readonly string[];
  /** Number of objects that match the earlier state and are therefore not compared with the account. */
  readonly unchanged: number;
  /** Notices about objects that are not restored. */
  readonly notices: readonly Notice[];
  /** Edits that restore the earlier declarations in the files. */
  readonly files: PreparedEdits;
}

/** Object in the earlier state, with its current address. */
interface PastManagedObject {
  readonly address: string;
  readonly kind: Kind;
  readonly earlier: StateEntry;
  /** Address in the earlier state. */
  readonly former: string;
  /** Current entry, or undefined if the object is no longer managed. */
  readonly now: StateEntry | undefined;
}

export interface RollbackRequest {
  /** A serial or an applied commit. */
  readonly to: string;
  /** Addresses. Default: all objects. */
  readonly named?: readonly string[];
}

/**
 * Computes the desired state of a rollback. Omits unchanged objects, and objects missing from the earlier state,
 * because a rollback deletes nothing.
 *
 * @param write whether the files will also be changed.
 * @param onlyThisObject whether to keep edits to shared text from changing other objects, as in `pull`.
 * @throws UsageError if an earlier text or entry is unknown, because objects are never restored partially.
 */
export async function prepareRollback(
  past: ProjectHistory,
  earlier: PastState,
  {
    named = [],
    write = false,
    onlyThisObject = false,
  }: Omit<RollbackRequest, "to"> & { readonly write?: boolean; readonly onlyThisObject?: boolean },
): Promise<Rollback> {
  const { manifest, state } = past;
  const { profile } = manifest.service;
  const declared = new Map(manifest.declarations.map((declaration) => [declaration.address, declaration]));
  const ids = { now: indexById(Object.entries(state.objects)), earlier: indexById(earlier.objects) };
  const found = [...earlier.objects].map(([former, object]): PastManagedObject => {
    const one = findCurrent(former, object, ids, state, profile);
    return { ...one, kind: declared.get(one.address)?.kind ?? one.kind };
  });
  const meant = named.length === 0 ? found : found.filter((one) => isNamed(one, named));
  assertKnownPast(earlier, found, named, state);
  const managed = meant.filter(({ kind, now }) => now !== undefined && !hasSecret(kind));
  const targets = managed.filter((one) => named.length > 0 || !isSameNow(one));
  // The files may differ even if the object is unchanged in the account.
  const inFiles = managed.filter(
    (one) => targets.includes(one) || (write && !matchesPast(declared.get(one.address), one)),
  );
  const specs = new Map<string, Spec>();
  const problems: string[] = [];
  // Maps recorded ids to current ids, because referenced objects may have been superseded since.
  const idsNow = new Map(found.map(({ earlier, now = earlier }): [Value, string] => [earlier.id, now.id]));
  for (const one of inFiles) specs.set(one.address, findSpec(earlier, one, idsNow, problems));
  if (problems.length > 0)
    throw new UsageError(
      "text-not-found",
      `Nothing was rolled back, because some texts of serial ${earlier.serial} were not recorded. ${problems.join(" ")} To roll back the other objects, pass their addresses.`,
    );
  const wanted = new Map(
    targets.map((one) => {
      const declaration = declared.get(one.address) ?? buildDeclaration(one, manifest);
      const { references: _, ...rest } = declaration;
      const spec = { ...findIgnoredValues(declaration), ...specs.get(one.address) };
      return [one.address, { ...rest, spec, origins: {} }];
    }),
  );
  const isSomeGone = meant.some(({ now }) => now === undefined);
  const deleted = isSomeGone ? await findDeletedSince(past, earlier.serial) : new Set<string>();
  const others = [...wanted.values()].filter(({ address }) => !declared.has(address));
  return {
    manifest: {
      ...manifest,
      declarations: [
        ...manifest.declarations.map((declaration) => wanted.get(declaration.address) ?? declaration),
        ...others,
      ],
    },
    targets: [...wanted.keys()],
    unchanged: meant.filter((one) => !wanted.has(one.address) && isSameNow(one)).length,
    notices: createUnchangedNotices(earlier, meant, found, state, named, deleted),
    files: await findEdits(specs, declared, past, onlyThisObject),
  };
}

/** Returns the restored addresses whose files still differ. The next apply would undo their rollback. */
export function findRevertedByFiles(
  { files: { fields, refused } }: Rollback,
  changed: readonly string[],
): string[] {
  const differing = [...fields.map(({ declaration }) => declaration.address), ...listAddresses(refused)];
  return changed.filter((address) => differing.includes(address));
}

/** Creates a notice about addresses whose files differ. The notice explains how to keep the restored values. */
export function createFilesNotice(
  { files: { refused } }: Rollback,
  addresses: readonly string[],
  { serial, holds }: { readonly serial: number; readonly holds: boolean },
): Notice[] {
  if (addresses.length === 0) return [];
  const unwritable = refused.filter(({ address }) => addresses.includes(address));
  const writable = addresses.filter((address) => !listAddresses(unwritable).includes(address));
  const [they, them] = addresses.length === 1 ? ["the object is", "it"] : ["the objects are", "them"];
  const effect = holds
    ? `so ${they} put on hold. Apply and sync skip ${them} until the files match, or until you run \`avatarops release ${addresses.join(" ")}\``
    : "so the next apply would undo the rollback";
  const propose = `in CI, \`avatarops rollback --to ${serial} --pull-request\``;
  const keep = [
    ...(writable.length > 0 ? [`run \`avatarops pull ${writable.join(" ")}\``] : []),
    ...(refused.length === 0 ? [propose] : []),
  ];
  return [
    createNotice(
      [
        `The files differ for ${listNames(addresses)}, ${effect}.`,
        ...(keep.length > 0 ? [`To keep the restored values, ${keep.join(", or ")}.`] : []),
        ...unwritable.slice(0, 1).map(describeRefusal),
      ].join(" "),
    ),
  ];
}

function listAddresses(refused: readonly RefusedEdit[]): string[] {
  return refused.map(({ address }) => address);
}

function describeRefusal({ address, field, reason }: RefusedEdit): string {
  return `${address}${field === undefined ? "" : `.${field}`}: ${reason}`;
}

/** Rejects an incomplete proposal. @throws UsageError */
export function assertAllWritable(refused: readonly RefusedEdit[]): void {
  if (refused.length === 0) return;
  const reasons = refused.map(describeRefusal);
  throw new UsageError(
    "unwritable",
    `Nothing was proposed, because the files cannot express the state to restore. ${reasons.join(" ")} Without --pull-request or --branch, only the account is rolled back.`,
  );
}

/** Addresses by kind and id. */
type AddressesById = ReadonlyMap<string, string>;

function indexById(entries: Iterable<readonly [address: string, entry: StateEntry]>): AddressesById {
  const addresses = new Map<string, string>();
  for (const [address, { id }] of entries) {
    const key = toIdKey(address, id);
    if (!addresses.has(key)) addresses.set(key, address);
  }
  return addresses;
}

function toIdKey(address: string, id: string): string {
  return `${address.slice(0, address.indexOf("."))} ${id}`;
}

function findCurrent(
  former: string,
  earlier: StateEntry,
  ids: { readonly now: AddressesById; readonly earlier: AddressesById },
  { objects }: State,
  profile: ProfileName | undefined,
): PastManagedObject {
  const kind = parseAddress(former, profile)?.kind;
  if (!kind)
    throw new UsageError(
      "unknown-kind",
      `This version of avatarops does not support objects such as ${former}. Update avatarops, or check \`service.profile\`.`,
    );
  const same = ids.now.get(toIdKey(former, earlier.id));
  if (same !== undefined) return { address: same, kind, earlier, former, now: objects[same] };
  // The current object at the former address is the successor only if it had no other address at the time.
  const heir = Object.hasOwn(objects, former) ? objects[former] : undefined;
  const isSuccessor = heir !== undefined && (ids.earlier.get(toIdKey(former, heir.id)) ?? former) === former;
  return { address: former, kind, earlier, former, now: isSuccessor ? heir : undefined };
}

function isNamed({ address, former }: PastManagedObject, named: readonly string[]): boolean {
  return named.includes(address) || named.includes(former);
}

/** Rejects unknown addresses, and objects whose earlier state is unknown. */
function assertKnownPast(
  earlier: PastState,
  found: readonly PastManagedObject[],
  named: readonly string[],
  { objects }: State,
): void {
  const lost = [...earlier.unknown].filter(([address]) => named.length === 0 || named.includes(address));
  const [first] = lost;
  if (first)
    throw new UsageError(
      "lost-records",
      `The values of ${listNames(lost.map(([address]) => address))} at serial ${earlier.serial} are unknown. ${first[1]} To roll back other objects, pass their addresses.`,
    );
  for (const address of named) {
    if (found.some((one) => isNamed(one, [address]))) continue;
    const known = Object.hasOwn(objects, address) ? [] : found.flatMap((one) => [one.address, one.former]);
    const hint = suggestAddress(address, known, "`avatarops history` lists each apply.");
    throw new UsageError(
      "unknown-address",
      `${address} was not managed at serial ${earlier.serial}. ${hint}`,
    );
  }
}

function hasSecret(kind: Kind): boolean {
  return listWriteOnlyFields(kind).length > 0;
}

function isSameNow({ earlier, now }: PastManagedObject): boolean {
  const pickComparable = ({ id, applied, fingerprints = {} }: StateEntry) => ({ id, applied, fingerprints });
  return now !== undefined && isDeepStrictEqual(pickComparable(now), pickComparable(earlier));
}

/** Returns whether a declaration matches the values applied earlier. */
function matchesPast(declaration: Declaration | undefined, { kind, earlier }: PastManagedObject): boolean {
  // Undeclared objects are not in the files, so they cannot differ there.
  if (!declaration) return true;
  const isMore = listReadableFields(kind).some(
    ([field]) => declaration.spec[field] !== undefined && earlier.applied[field] === undefined,
  );
  return !isMore && listChangedFields(kind, earlier.applied, declaration.spec).length === 0;
}

function findSpec(
  { texts }: PastState,
  { address, kind, earlier }: PastManagedObject,
  idsNow: ReadonlyMap<Value, string>,
  problems: string[],
): Spec {
  const values: Record<string, Value> = {};
  for (const [name, { type }] of listReadableFields(kind)) {
    const stored = earlier.applied[name];
    if (stored === undefined) continue;
    const found = texts.find(stored);
    if ("missing" in found) problems.push(`${address}.${name}: ${found.missing}.`);
    else values[name] = (type === "reference" && idsNow.get(found.value)) || found.value;
  }
  return values;
}

/** Returns the declared values of ignored fields, for recreating a missing object. The state does not record them. */
function findIgnoredValues({ kind, spec }: Declaration): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => kind.fields[name]?.ignored));
}

/** Builds a declaration for a managed but undeclared object, so that it can be planned. */
function buildDeclaration({ address, kind, now }: PastManagedObject, manifest: Manifest): Declaration {
  return {
    ...{ address, kind, key: parseAddress(address)?.key ?? "" },
    ...(kind.identity === "adopted" && now ? { id: now.id } : {}),
    ...(now?.protected ? { protect: true } : {}),
    ...(now?.onRemoval ? { onRemoval: now.onRemoval } : {}),
    ...{ spec: {}, sources: {}, origins: {} },
    range: { source: openSourceFile(manifest.file, ""), start: 0, end: 0 },
  };
}

/** Finds the differences between the files and the earlier values, with their locations. */
async function findEdits(
  specs: ReadonlyMap<string, Spec>,
  declared: ReadonlyMap<string, Declaration>,
  { manifest, state }: ProjectHistory,
  onlyThisObject: boolean,
): Promise<PreparedEdits> {
  const requested: FieldToWrite[] = [];
  const refused: RefusedEdit[] = [];
  for (const [address, spec] of specs) {
    const declaration = declared.get(address);
    if (!declaration) {
      refused.push({ address, reason: "It was removed from the files. Declare it again." });
      continue;
    }
    for (const [field, facts] of listReadableFields(declaration.kind)) {
      if (facts.type === "reference") {
        if (spec[field] !== state.objects[declaration.references?.[field] ?? ""]?.id)
          refused.push({
            address,
            field,
            reason: "The reference pointed to another object. Write that object's name into the file.",
          });
        continue;
      }
      if (areValuesEqual(facts, declaration.spec[field], spec[field])) continue;
      const value = spec[field] ?? getEmptyValue(facts);
      if (value === undefined)
        refused.push({ address, field, reason: "The field was not in the files at that time. Remove it." });
      else requested.push({ declaration, field, value });
    }
  }
  const prepared = await prepareEdits(requested, manifest, onlyThisObject);
  return { fields: prepared.fields, refused: [...refused, ...prepared.refused] };
}

function createUnchangedNotices(
  earlier: PastState,
  meant: readonly PastManagedObject[],
  found: readonly PastManagedObject[],
  { objects }: State,
  named: readonly string[],
  deleted: ReadonlySet<string>,
): Notice[] {
  const secrets = meant.filter(
    (one) => hasSecret(one.kind) && one.now && (named.length > 0 || !isSameNow(one)),
  );
  const gone = meant.filter(({ now }) => now === undefined);
  const known = new Set(found.map(({ address }) => address));
  const later = Object.keys(objects).filter((address) => !known.has(address));
  return [
    ...secrets.map(({ address }) =>
      createNotice(`${address} is not rolled back, because secret values are not recorded.`),
    ),
    ...gone.map((one) => createNotice(describeGone(one, earlier.serial, deleted.has(one.earlier.id)))),
    ...(named.length > 0 || later.length === 0
      ? []
      : [
          createNotice(
            `${listNames(later)} did not exist at serial ${earlier.serial} and ${later.length === 1 ? "stays" : "stay"} unchanged, because a rollback deletes nothing.`,
          ),
        ]),
  ];
}

/** Explains what happened to an object that is no longer managed, with the command to run. */
function describeGone(
  { address, kind, earlier: { id } }: PastManagedObject,
  serial: number,
  isDeleted: boolean,
) {
  if (isDeleted)
    return `${address} (${id}) was deleted, and a rollback does not re-create it. To see its last values: \`avatarops show ${address} --at ${serial}\`.`;
  const importing = hasSecret(kind)
    ? `declare it again, and run \`avatarops import ${address} ${id}\``
    : `\`avatarops import --write ${address} ${id}\``;
  return `${address} (${id}) is not managed anymore, so it stays unchanged. If the account still has it, manage it again: ${importing}.`;
}

function createNotice(message: string): Notice {
  return { code: "rollback", message };
}
