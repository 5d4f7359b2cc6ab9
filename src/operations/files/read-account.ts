import type { Service } from "../../core/api/index.js";
import { isolateReadErrors, mapConcurrent, maxConcurrentReads } from "../../core/engine/index.js";
import {
  createValidator,
  isPreciseTimestamp,
  isReliableTimestamp,
  type Kind,
  type ListedObject,
  type Live,
  referenceFields,
  type Spec,
  toAddress,
  type Validator,
} from "../../core/kinds/index.js";

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
