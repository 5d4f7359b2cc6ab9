import * as z from "zod";
import {
  type DeepReadonly,
  describeIssue,
  idForm,
  isId,
  isMapping,
  type Json,
  jsonForm,
} from "../../base/text/index.js";

/*
 * What avatarops last did to an account, and the forms of our files, checked on every read: people merge these files and
 * edit them by hand. zod costs no start-up time here, since every command loads it for the kinds anyway, and checks
 * 10,000 objects in about 20 ms. Strict: an unknown field would be lost with the next write. The order of the fields is
 * their order in the file.
 */

const optionalText = z.exactOptional(z.string());

/** A value that is too long for the state: a text, a list or an object. */
export const longValue = jsonForm;

export type LongValue = Json;

const storedDigest = z.strictObject({ digest: z.string(), length: z.number() });

/** A stored value: itself if short, otherwise its digest and length in UTF-16 code units. */
const storedValue = z.union([
  z.string(),
  storedDigest,
  jsonForm.refine((value) => !isMapping(value) || !("digest" in value), { error: "is a damaged digest" }),
]);

export type StoredDigest = Readonly<z.infer<typeof storedDigest>>;

export type StoredValue = Json | StoredDigest;

/** Whether only the digest of a value is known: no field has a part of this name. */
export function isDigest(value: StoredValue | undefined): value is StoredDigest {
  return isMapping(value) && typeof value.digest === "string";
}

export const fields = z.record(z.string(), storedValue);

/** Ids become parts of request paths; people edit and merge the state. */
const id = z.string().refine(isId, { error: `is not an id: ids are ${idForm}` });

/** Addresses become words of the commands that messages recommend. */
export const address = z
  .string()
  .refine((text) => /^[a-z_]+\.[\p{L}\p{M}\p{N}_-]+$/u.test(text), { error: "is not an address" });

/** Which value was sent: not secret. */
const valueVersion = z.strictObject({
  /** Digest of which value its source names; absent: the version is the declared one. */
  source: optionalText,
  /** The same by the files only, without what the environment adds. */
  written: optionalText,
  /** Absent: the source has none. */
  version: optionalText,
});

export type ValueVersion = DeepReadonly<z.infer<typeof valueVersion>>;

const fingerprints = z.exactOptional(z.record(z.string(), z.string()));
const versions = z.exactOptional(z.record(z.string(), valueVersion));

const supersededObject = z.strictObject({
  id,
  label: z.string(),
  /** ISO 8601: when it was superseded. */
  since: z.string(),
  /** The fields as last applied: it is deleted only if the account shows it with them. */
  applied: z.exactOptional(fields),
});

export type SupersededObject = DeepReadonly<z.infer<typeof supersededObject>>;

export const entryForm = z.strictObject({
  id,
  /** The fields as last applied. */
  applied: fields,
  /** The service's `updated_at` at which the live object equalled `applied`, once old enough to be trusted. */
  inSyncAt: optionalText,
  /** Digest of what others showed of it before the last write; they may go on showing it. */
  copyBefore: optionalText,
  /** Fingerprints of the write-only fields. */
  fingerprints,
  /** Versions of the write-only fields, as far as known. */
  versions,
  /** ISO 8601: when write-only fields were last sent. */
  writtenAt: optionalText,
  /** Objects that this one superseded; they are still stored in the service. */
  superseded: z.exactOptional(z.array(supersededObject)),
  /** It is not to be deleted, whatever becomes of its declaration. */
  protected: z.exactOptional(z.literal(true)),
  /** What its declaration says is to become of it without one. */
  onRemoval: z.exactOptional(z.enum(["forget", "delete"])),
  /** avatarops created it, in an account whose objects of this kind can be deleted. */
  created: z.exactOptional(z.literal(true)),
});

export type Entry = DeepReadonly<z.infer<typeof entryForm>>;

const stoppedForm = z.strictObject({
  /** ISO 8601, by the clock of the machine that noted it: no request of the run leaves later. */
  at: z.iso.datetime(),
  /** After this time, in ms, a request that had left is processed or lost. */
  withinMs: z.int().nonnegative(),
});

/** When the run of an unanswered create stopped. */
export type Stopped = DeepReadonly<z.infer<typeof stoppedForm>>;

export const intentForm = z.strictObject({
  address,
  action: z.enum(["create", "update", "supersede", "adopt", "delete"]),
  /** The object's label as sent. */
  label: z.string(),
  /** Only for updates and deletes. */
  id: z.exactOptional(id),
  /** The managed fields as sent. */
  sent: fields,
  fingerprints,
  versions,
  /** Ids of the objects that had the label before: none of them is ours. */
  known: z.array(id),
  /** ISO 8601, by the service's clock if known, otherwise by ours. */
  at: z.string(),
  /** Only for a create without an outcome whose run has stopped. */
  stopped: z.exactOptional(stoppedForm),
});

/** A write about to be sent, recorded and synced to disk before the request. */
export type Intent = DeepReadonly<z.infer<typeof intentForm>>;

/** Somebody's word that objects are not to be changed for now. */
export const holdForm = z.strictObject({
  /** Absent: all objects. */
  addresses: z.exactOptional(z.array(address).min(1)),
  reason: z.string().min(1),
  /** Whose word it is: as in the history, nobody has checked it. */
  by: z.string(),
  /** ISO 8601. */
  since: z.iso.datetime(),
  /** ISO 8601: from then on it no longer counts. */
  until: z.exactOptional(z.iso.datetime()),
  /** Placed by a rollback to this serial: it ends for each object when the files say what was brought back. */
  restored: z.exactOptional(z.int().nonnegative()),
});

export type ApplyHold = DeepReadonly<z.infer<typeof holdForm>>;

/** The project that a state belongs to. Without git, origin and path are absent; without an environment, that is absent. */
export const projectIdentityForm = z.strictObject({
  /** Path of its repository on the host, such as `team/avatars`, in lower case. */
  origin: optionalText,
  /** Path of the project folder in the repository, with `/`; "" at its root. */
  path: optionalText,
  environment: optionalText,
});

export type ProjectIdentity = DeepReadonly<z.infer<typeof projectIdentityForm>>;

/** The mark of a state that was moved: otherwise it is as it was. */
export const movedForm = z.object({
  moved: z.strictObject({
    /** As `state:` says it. */
    to: z.string(),
    /** ISO 8601. */
    at: z.iso.datetime(),
  }),
});

export const stateFileForm = z.strictObject({
  version: z.literal(1),
  /** UUID created with the state; distinguishes states. */
  lineage: z.string().min(1),
  /** Grows by one with every write. */
  serial: z.int().nonnegative(),
  /** Base URL of the account the ids belong to. */
  service: z.string(),
  /** Absent until the next commit of a state that was written without it. */
  project: z.exactOptional(projectIdentityForm),
  /** Random key of the secret fingerprints, base64url; created with the first fingerprint. */
  fingerprintKey: z.exactOptional(z.string().min(1)),
  /** By address. */
  objects: z.record(address, entryForm),
  /** Writes of which it is unknown whether they arrived, by address: the next observe finds out. */
  pending: z.record(address, intentForm),
  holds: z.exactOptional(z.array(holdForm)),
  /** Id of the journal last applied; see journal.ts. */
  journal: optionalText,
});

/** The state as in its file. */
export type StateFile = DeepReadonly<z.infer<typeof stateFileForm>>;

/** What avatarops last did to an account: no text beyond short values, and no secret. */
export type State = Omit<StateFile, "journal">;

/** The first issue of a value (checked with `reportInput`), with its path in code syntax. */
export function firstWrong({ issues: [issue] }: z.ZodError): { at: string; what: string } {
  if (!issue) throw new Error("Bug: a failed check has no issue");
  if (issue.code === "unrecognized_keys") {
    return { at: pathText([...issue.path, issue.keys[0] ?? ""]), what: "is not a field of the state" };
  }
  const what = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? "") : describeIssue(issue);
  return { at: pathText(issue.path), what };
}

function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((part) =>
    /^\w+$/.test(String(part)) && typeof part !== "number" ? `.${String(part)}` : `[${JSON.stringify(part)}]`,
  );
  return parts.join("").replace(/^\./, "") || "the whole file";
}
