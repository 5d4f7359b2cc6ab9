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
 * The last applied state of an account, and the forms of our files. Every read checks them, because people merge and edit
 * these files by hand. zod costs no start-up time, because every command loads it for the kinds, and checks 10,000 objects
 * in about 20 ms. The forms are strict, because an unknown field would be lost with the next write. The order of the fields
 * is their order in the file.
 */

const optionalText = z.exactOptional(z.string());

/** A value too long for the state: a text, a list or an object. */
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

/** Returns whether a stored value is only a digest. No field has a part of this name. */
export function isDigest(value: StoredValue | undefined): value is StoredDigest {
  return isMapping(value) && typeof value.digest === "string";
}

export const fields = z.record(z.string(), storedValue);

/** Ids become parts of request paths, and people edit the state. */
const id = z.string().refine(isId, { error: `is not an id: ids are ${idForm}` });

/** Addresses become arguments of recommended commands. */
export const address = z
  .string()
  .refine((text) => /^[a-z_]+\.[\p{L}\p{M}\p{N}_-]+$/u.test(text), { error: "is not an address" });

/** The version of a sent value, which is not secret. */
const valueVersion = z.strictObject({
  /** Digest that identifies the source's value; absent: the version is declared. */
  source: optionalText,
  /** The same digest without fields from the environment. */
  written: optionalText,
  /** Absent if the source has no versions. */
  version: optionalText,
});

export type ValueVersion = DeepReadonly<z.infer<typeof valueVersion>>;

const fingerprints = z.exactOptional(z.record(z.string(), z.string()));
const versions = z.exactOptional(z.record(z.string(), valueVersion));

const supersededObject = z.strictObject({
  id,
  label: z.string(),
  /** Time when it was superseded, ISO 8601. */
  since: z.string(),
  /** The last applied fields. It is deleted only if the account still shows them. */
  applied: z.exactOptional(fields),
});

export type SupersededObject = DeepReadonly<z.infer<typeof supersededObject>>;

export const entryForm = z.strictObject({
  id,
  /** The last applied fields. */
  applied: fields,
  /** The service's `updated_at` at which the live object equalled `applied`, once it is old enough to trust. */
  inSyncAt: optionalText,
  /** Digest of its copy in other objects before the last write, which they may continue to show. */
  copyBefore: optionalText,
  /** Fingerprints of the write-only fields. */
  fingerprints,
  /** Known versions of the write-only fields. */
  versions,
  /** Time when write-only fields were last sent, ISO 8601. */
  writtenAt: optionalText,
  /** Objects that this one superseded and that the service still has. */
  superseded: z.exactOptional(z.array(supersededObject)),
  /** Whether to keep it even without a declaration. */
  protected: z.exactOptional(z.literal(true)),
  /** The declared policy for when it is no longer declared. */
  onRemoval: z.exactOptional(z.enum(["forget", "delete"])),
  /** Whether avatarops created it in an account that can delete objects of its kind. */
  created: z.exactOptional(z.literal(true)),
});

export type StateEntry = DeepReadonly<z.infer<typeof entryForm>>;

const stoppedForm = z.strictObject({
  /** Time after which the run sends no request, ISO 8601, by the recording machine's clock. */
  at: z.iso.datetime(),
  /** Time after `at` by which an earlier request is processed or lost. */
  withinMs: z.int().nonnegative(),
});

/** The stop of a run with a create that has no response. */
export type StoppedRun = DeepReadonly<z.infer<typeof stoppedForm>>;

export const intentForm = z.strictObject({
  address,
  action: z.enum(["create", "update", "supersede", "adopt", "delete"]),
  /** The object's label in the request. */
  label: z.string(),
  /** Only for updates and deletes. */
  id: z.exactOptional(id),
  /** The managed fields of the request. */
  sent: fields,
  fingerprints,
  versions,
  /** Ids of the objects that already had the label. None of them is ours. */
  known: z.array(id),
  /** ISO 8601, by the service's clock if known, otherwise by ours. */
  at: z.string(),
  /** Only for a create without an outcome in a stopped run. */
  stopped: z.exactOptional(stoppedForm),
});

/** A write about to be sent, recorded and synced to disk before the request. */
export type Intent = DeepReadonly<z.infer<typeof intentForm>>;

/** A hold, which stops applies to some or all objects. */
export const holdForm = z.strictObject({
  /** Absent: all objects. */
  addresses: z.exactOptional(z.array(address).min(1)),
  reason: z.string().min(1),
  /** Who placed the hold (unverified). */
  by: z.string(),
  /** ISO 8601. */
  since: z.iso.datetime(),
  /** Expiry, ISO 8601. */
  until: z.exactOptional(z.iso.datetime()),
  /** Serial of the rollback that placed it. It ends for each object once the files declare the restored values. */
  restored: z.exactOptional(z.int().nonnegative()),
});

export type ApplyHold = DeepReadonly<z.infer<typeof holdForm>>;

/** The project of a state. Origin and path are absent without git. */
export const projectIdentityForm = z.strictObject({
  /** Path of the repository on its host, in lower case, such as `team/avatars`. */
  origin: optionalText,
  /** Path of the project folder in the repository, with `/`; "" for the root. */
  path: optionalText,
  environment: optionalText,
});

export type ProjectIdentity = DeepReadonly<z.infer<typeof projectIdentityForm>>;

/** The mark added to a state that was moved. */
export const movedForm = z.object({
  moved: z.strictObject({
    /** The new value of `state:`. */
    to: z.string(),
    /** ISO 8601. */
    at: z.iso.datetime(),
  }),
});

export const stateFileForm = z.strictObject({
  version: z.literal(1),
  /** UUID created with the state. */
  lineage: z.string().min(1),
  /** Grows by one with every write. */
  serial: z.int().nonnegative(),
  /** Base URL of the account. */
  service: z.string(),
  /** Absent in states of earlier versions until the next commit. */
  project: z.exactOptional(projectIdentityForm),
  /** Random key of the secret fingerprints, in base64url, created with the first one. */
  fingerprintKey: z.exactOptional(z.string().min(1)),
  /** By address. */
  objects: z.record(address, entryForm),
  /** Writes without an outcome, by address. The next observe finds out. */
  pending: z.record(address, intentForm),
  holds: z.exactOptional(z.array(holdForm)),
  /** Id of the last applied journal; see journal.ts. */
  journal: optionalText,
});

/** The stored form of the state. */
export type StateFile = DeepReadonly<z.infer<typeof stateFileForm>>;

/** The last applied state of an account, without long texts and secrets. */
export type State = Omit<StateFile, "journal">;

/** Describes the first issue of a value (checked with `reportInput`), with its path in code syntax. */
export function findFirstProblem({ issues: [issue] }: z.ZodError): { at: string; problem: string } {
  if (!issue) throw new Error("Bug: a failed check has no issue");
  if (issue.code === "unrecognized_keys") {
    return { at: formatPath([...issue.path, issue.keys[0] ?? ""]), problem: "is not a field of the state" };
  }
  const problem = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? "") : describeIssue(issue);
  return { at: formatPath(issue.path), problem };
}

function formatPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part) =>
    /^\w+$/.test(String(part)) && typeof part !== "number" ? `.${String(part)}` : `[${JSON.stringify(part)}]`,
  );
  return parts.join("").replace(/^\./, "") || "the whole file";
}
