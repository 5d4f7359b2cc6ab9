import { setFlagsFromString } from "node:v8";
import type { Service } from "../../core/api/index.js";
import { isolateReadErrors, mapConcurrent, maxConcurrentReads } from "../../core/engine/index.js";
import {
  createValidator,
  isPreciseTimestamp,
  isReliableTimestamp,
  type Kind,
  kindsWith,
  type ListedObject,
  type ListOperation,
  type ListResult,
  type Live,
  type ProfileName,
  referenceFields,
  type Spec,
  toAddress,
  type Validator,
} from "../../core/kinds/index.js";
import { logicalNames } from "../../core/manifest/index.js";
import type { OperationHost } from "../runtime/runtime.js";

/*
 * Reads a whole account as objects to declare.
 *
 * The result must load again: a name that the manifest would refuse, or a link without an address, is left
 * out and reported. What is left out stays as it is in the account, because avatarops manages only what is
 * declared.
 */

/** The objects of an account. */
export interface AccountObjects {
  readonly objects: readonly AccountObject[];
  /** Why some are not among the objects, as sentences. */
  readonly leftOut: readonly string[];
  /** What could not be read, and why, as sentences. */
  readonly unread: readonly string[];
}

/** An object and its logical name. */
export interface AccountObject {
  readonly kind: Kind;
  readonly key: string;
  readonly address: string;
  readonly live: Live;
  /** The fields that can be declared. */
  readonly spec: Spec;
  /** `updatedAt` is sure to change with the next edit. */
  readonly settled: boolean;
}

/** What is declared of it: an adopted object has its id in the files. */
export function toNewObject({ kind, key, spec, live: { id } }: AccountObject) {
  return { kind, key, spec, ...(kind.identity === "adopted" ? { id } : {}) };
}

/**
 * Reads every object of every kind that has a list. Sends GET only; the service's limiter bounds concurrency.
 */
export async function readAccount(
  service: Service,
  host: Pick<OperationHost, "now" | "ownsProcess">,
  profile?: ProfileName,
): Promise<AccountObjects> {
  const listings: Listings = new Map();
  const read = await Promise.all(kindsWith(profile).map((kind) => readKind(kind, service, listings, host)));
  return {
    objects: read.flatMap(({ objects }) => objects),
    leftOut: read.flatMap(({ leftOut }) => leftOut),
    unread: read.flatMap(({ unread }) => unread),
  };
}

/** Lists read so far: two kinds may share a list. */
type Listings = Map<string, Promise<ListResult>>;

async function readKind(
  kind: Kind,
  service: Service,
  listings: Listings,
  { now, ownsProcess }: Pick<OperationHost, "now" | "ownsProcess">,
): Promise<AccountObjects> {
  const { list, collection } = kind;
  if (!list) {
    const advice = "declare the ones you use, and adopt them with import.";
    return { objects: [], leftOut: [`The service cannot list ${collection}: ${advice}`], unread: [] };
  }
  const reading = listings.get(list.endpoint) ?? list.read(service, {});
  listings.set(list.endpoint, reading);
  const listing = await reading;
  // Otherwise the heap grows to three times what is in use before V8 collects garbage. Not sooner: what is loaded after a
  // change of flags, such as the HTTP client, is compiled again.
  if (ownsProcess) setFlagsFromString("--heap-growing-percent=40");
  const found = listing.entries.flatMap((entry) => list.toListed(entry) ?? []);
  // Several avatars may use the same voice.
  const listed = [...new Map(found.map((object) => [object.id, object])).values()];
  const nameFor = logicalNames();
  const read = await readListed(service, now, kind, listed, ({ label }) => nameFor(label));
  return { ...read, leftOut: [...listCaveats(list, collection, listing), ...read.leftOut] };
}

/** Reads the listed objects of one kind, as far as they can be declared; `nameFor`: the logical name of one. */
export async function readListed(
  service: Service,
  now: () => number,
  kind: Kind,
  listed: readonly ListedObject[],
  nameFor: (live: Live) => string,
): Promise<AccountObjects> {
  const preciseTimestamps = listed.some(({ updatedAt }) => isPreciseTimestamp(updatedAt));
  const readIsolated = isolateReadErrors();
  const lives = await mapConcurrent(maxConcurrentReads, listed, (object) =>
    readIsolated(object.id, async () => {
      const live = object.live ?? (await kind.read?.(service, object.id));
      if (!live) return undefined;
      const nowMs = service.serverTime() ?? now();
      return { live, settled: isReliableTimestamp(live.updatedAt, nowMs, preciseTimestamps) };
    }),
  );
  // If most objects fail, the service is failing, and half an account is not an export.
  const errors = lives.flatMap((read) => (read && "seen" in read ? [read.error] : []));
  if (errors[0] && errors.length * 2 > lives.length) throw errors[0];
  const leftOut: string[] = [];
  const unread: string[] = [];
  const validate = createValidator(kind);
  const objects = listed.flatMap((object, at): AccountObject[] => {
    const read = lives[at];
    const named = `The ${kind.name} ${JSON.stringify(object.label)} (${object.id})`;
    if (read && "seen" in read) {
      unread.push(`${named} could not be read: ${read.error.message}`);
      return [];
    }
    if (!read) leftOut.push(`${named} disappeared while the account was read.`);
    const spec = read && declarable(kind, read.live, validate, named, leftOut);
    if (!read || !spec) return [];
    const key = nameFor(read.live);
    return [{ ...read, kind, key, address: toAddress(kind, key), spec }];
  });
  return { objects, leftOut, unread };
}

/** What the list cannot guarantee. */
function listCaveats(
  { endpoint: of, exhaustive }: ListOperation,
  collection: string,
  { unstable }: ListResult,
): string[] {
  const partial = `The service cannot list ${collection}: these are the ones found in its ${of}; declare others by id.`;
  const moving = `The list of ${of} changed while it was read: run plan to see what is missing.`;
  return [...(exhaustive ? [] : [partial]), ...(unstable ? [moving] : [])];
}

/** The fields that the manifest accepts; undefined if a required one is not among them. */
function declarable(
  kind: Kind,
  live: Live,
  validate: Validator,
  named: string,
  leftOut: string[],
): Spec | undefined {
  const identity = kind.identity === "adopted" ? { id: live.id } : {};
  const wrong = validate(kind.name, { ...live.spec, ...identity });
  // The account has ids of what is referred to, and the files want names.
  const references = referenceFields(kind).map(([name]) => name);
  const referring = references.filter((name) => live.spec[name]);
  // The validator does not know the server-assigned keys of list entries, and they are not written.
  const fields = new Set([
    ...wrong.filter(({ code }) => code !== "unknown-field").map(({ path }) => String(path[0])),
    ...references,
  ]);
  if (fields.size === 0) return live.spec;
  const unaccepted = [...fields].filter((name) => !references.includes(name)).join(", ");
  const mustBe = [...fields].filter((name) => name === "id" || kind.fields[name]?.required);
  if (mustBe.length > 0) {
    const why = references.includes(mustBe[0] ?? "")
      ? `its ${mustBe.join(", ")} must be the name of another declaration. Declare it by hand, and import it without --write`
      : `avatarops does not accept its ${[...fields].join(", ")}`;
    leftOut.push(`${named} cannot be declared: ${why}.`);
    return undefined;
  }
  // An avatar without a name has no name to manage.
  if (unaccepted !== "" && (unaccepted !== kind.label || live.label !== ""))
    leftOut.push(`${named} is declared without ${unaccepted}, which avatarops does not accept.`);
  if (referring.length > 0)
    leftOut.push(
      `${named} is declared without ${referring.join(", ")}: add the name of the declaration it refers to.`,
    );
  return Object.fromEntries(Object.entries(live.spec).filter(([name]) => !fields.has(name)));
}
