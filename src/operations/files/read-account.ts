import { toCanonicalId } from "../../base/text/index.js";
import type { Service } from "../../core/api/index.js";
import { isolateReadErrors, mapConcurrent, maxConcurrentReads } from "../../core/engine/index.js";
import {
  createValidator,
  isPreciseTimestamp,
  isReliableTimestamp,
  type Kind,
  type ListedObject,
  listReferenceFields,
  type RemoteObject,
  type Spec,
  toAddress,
  type Validator,
} from "../../core/kinds/index.js";

/*
 * Reads a whole account as objects to declare. Values that a manifest rejects, such as a link without a URL, are left
 * out and reported. They stay unchanged in the account, because avatarops manages only declared values.
 */

/** Declarable objects in an account, with problems. */
export interface AccountObjects {
  readonly objects: readonly AccountObject[];
  /** Messages about objects and fields that are left out. */
  readonly leftOut: readonly string[];
  /** Messages about objects that cannot be declared. */
  readonly undeclarable: readonly string[];
  /** Messages about objects that could not be read. */
  readonly unread: readonly string[];
}

/** An object with its key. */
export interface AccountObject {
  readonly kind: Kind;
  readonly key: string;
  readonly address: string;
  readonly live: RemoteObject;
  /** Fields that can be declared. */
  readonly spec: Spec;
  /** Whether the next edit is certain to change `updatedAt`. */
  readonly hasReliableTimestamp: boolean;
}

/** Converts an object to a new declaration. Adopted objects have their id in the files. */
export function toNewObject({ kind, key, spec, live: { id } }: AccountObject) {
  return { kind, key, spec, ...(kind.identity === "adopted" ? { id } : {}) };
}

/** Reads the listed objects of one kind that can be declared. `nameFor` chooses an object's key. */
export async function readListedObjects(
  service: Service,
  now: () => number,
  kind: Kind,
  listed: readonly ListedObject[],
  nameFor: (live: RemoteObject) => string,
): Promise<AccountObjects> {
  const preciseTimestamps = listed.some(({ updatedAt }) => isPreciseTimestamp(updatedAt));
  const readIsolated = isolateReadErrors();
  const lives = await mapConcurrent(maxConcurrentReads, listed, (object) =>
    readIsolated(object.id, async () => {
      const live = object.live ?? (await kind.read?.(service, object.id));
      if (!live) return undefined;
      const nowMs = service.getServerTime() ?? now();
      return { live, hasReliableTimestamp: isReliableTimestamp(live.updatedAt, nowMs, preciseTimestamps) };
    }),
  );
  // Fails if most objects cannot be read, because an export of half an account would be misleading.
  const errors = lives.flatMap((read) => (read && "seen" in read ? [read.error] : []));
  if (errors[0] && errors.length * 2 > lives.length) throw errors[0];
  const leftOut: string[] = [];
  const undeclarable: string[] = [];
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
    const spec = read && selectDeclarable(kind, read.live, validate, named, { leftOut, undeclarable });
    if (!read || !spec) return [];
    const key = nameFor(read.live);
    return [{ ...read, kind, key, address: toAddress(kind, key), spec }];
  });
  return { objects, leftOut, undeclarable, unread };
}

/** Selects the fields that the manifest accepts. Returns undefined if a required field is missing. */
function selectDeclarable(
  kind: Kind,
  live: RemoteObject,
  validate: Validator,
  named: string,
  { leftOut, undeclarable }: Readonly<Record<"leftOut" | "undeclarable", string[]>>,
): Spec | undefined {
  const identity = kind.identity === "adopted" ? { id: live.id } : {};
  const wrong = validate(kind.name, { ...live.spec, ...identity });
  // The account refers to objects by id. The files need names.
  const references = listReferenceFields(kind).map(([name]) => name);
  const referring = references.filter((name) => live.spec[name]);
  // Drops server-assigned keys of list entries, which the validator rejects and files do not contain.
  const fields = new Set([
    ...wrong.filter(({ code }) => code !== "unknown-field").map(({ path }) => String(path[0])),
    ...references,
  ]);
  if (fields.size === 0) return live.spec;
  const unaccepted = [...fields].filter((name) => !references.includes(name)).join(", ");
  const mustBe = [...fields].filter((name) => name === "id" || kind.fields[name]?.required);
  if (mustBe.length > 0) {
    const why = references.includes(mustBe[0] ?? "")
      ? `its ${mustBe.join(", ")} must be the name of another declaration. Declare the object by hand, and import it without --write`
      : `avatarops does not accept its ${[...fields].join(", ")}`;
    undeclarable.push(`${named} cannot be declared: ${why}.`);
    return undefined;
  }
  // Does not report a missing avatar name, because avatars may be unnamed.
  if (unaccepted !== "" && (unaccepted !== kind.label || live.label !== ""))
    leftOut.push(`${named} is declared without ${unaccepted}, which avatarops does not accept.`);
  if (referring.length > 0)
    leftOut.push(
      `${named} is declared without ${referring.join(", ")}. Add the name of the referenced declaration.`,
    );
  return Object.fromEntries(Object.entries(live.spec).filter(([name]) => !fields.has(name)));
}

/**
 * Returns a UUID given by the user, spelled as in the account: unchanged if an object has this id, otherwise in lower
 * case.
 */
export async function toAccountSpelling(kind: Kind, id: string, service: Service): Promise<string> {
  const canonical = toCanonicalId(id);
  return canonical !== id && (await kind.read?.(service, id)) ? id : canonical;
}
