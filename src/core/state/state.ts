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
import { runFacts } from "./run-facts.js";

/*
 * Schemas of the state files, with fields in file order. Checked on every read, because people merge and edit these
 * files by hand. Strict, because the next write would drop unknown fields.
 */

const optionalText = z.exactOptional(z.string());

/** Value too long for the state (a text, a list or a mapping). */
export const longValue = jsonForm;

export type LongValue = Json;

const storedDigest = z.strictObject({ digest: z.string(), length: z.number() });

/** Short value, or the digest and length (in UTF-16 code units) of a long value. */
const storedValue = z.union([
  z.string(),
  storedDigest,
  jsonForm.refine((value) => !isMapping(value) || !("digest" in value), { error: "is not a valid digest" }),
]);

export type StoredDigest = Readonly<z.infer<typeof storedDigest>>;

export type StoredValue = Json | StoredDigest;

/** Returns whether a stored value is only a digest. No field value has a `digest` key. */
export function isDigest(value: StoredValue | undefined): value is StoredDigest {
  return isMapping(value) && typeof value.digest === "string";
}

export const fields = z.record(z.string(), storedValue);

/** Id of an object. Checked because people edit the state, and ids become parts of request paths. */
const id = z.string().refine(isId, { error: `is not an id: ids are ${idForm}` });

/**
 * Address of an object. Checked because messages recommend commands with addresses. Deletes of superseded and undeclared
 * objects have the id as the key.
 */
export const address = z.string().refine(
  (text) => {
    const [, key = ""] = /^[a-z_]+\.(.+)$/su.exec(text) ?? [];
    return isId(key) || /^[\p{L}\p{M}\p{N}_-]+$/u.test(key);
  },
  { error: "is not an address" },
);

/** Version of a sent value. Not secret. */
const valueVersion = z.strictObject({
  /** Digest of the value's source. Omitted for a declared version. */
  source: optionalText,
  /** Digest of the source as declared, before fields are filled in from the environment. */
  written: optionalText,
  /** Version at the source. Omitted if the source has no versions. */
  version: optionalText,
});

export type ValueVersion = DeepReadonly<z.infer<typeof valueVersion>>;

const fingerprints = z.exactOptional(z.record(z.string(), z.string()));
const versions = z.exactOptional(z.record(z.string(), valueVersion));

const supersededObject = z.strictObject({
  id,
  label: z.string(),
  /** Time when the object was superseded (ISO 8601). */
  since: z.string(),
  /** Last applied fields. The object is deleted only if its live values still equal these fields. */
  applied: z.exactOptional(fields),
});

export type SupersededObject = DeepReadonly<z.infer<typeof supersededObject>>;

export const entryForm = z.strictObject({
  id,
  /** Last applied fields. */
  applied: fields,
  /**
   * Timestamp (`updated_at`) at which a live object equaled `applied`. Recorded only once a later edit would get a
   * different timestamp.
   */
  inSyncAt: optionalText,
  /** Digest of the copy of this object that other objects contained before the last write, and may still contain. */
  copyBefore: optionalText,
  /** Fingerprints of the write-only fields. */
  fingerprints,
  /** Known versions of the write-only fields. */
  versions,
  /** Time when write-only fields were last sent (ISO 8601). */
  writtenAt: optionalText,
  /** Superseded objects that still exist. */
  superseded: z.exactOptional(z.array(supersededObject)),
  /** Whether to keep the object even without a declaration. */
  protected: z.exactOptional(z.literal(true)),
  /** Action to take when the object is removed from the files, from its last declaration. */
  onRemoval: z.exactOptional(z.enum(["forget", "delete"])),
  /** Whether avatarops created the object, in an account that can delete objects of its kind. */
  created: z.exactOptional(z.literal(true)),
});

export type StateEntry = DeepReadonly<z.infer<typeof entryForm>>;

const stoppedForm = z.strictObject({
  /** Time when the run stopped sending (ISO 8601), by the recording machine's clock. */
  at: z.iso.datetime(),
  /** Maximum time after `at` until all requests have been processed or lost. */
  withinMs: z.int().nonnegative(),
});

/** Time when a run with a lost create stopped. */
export type StoppedRun = DeepReadonly<z.infer<typeof stoppedForm>>;

export const intentForm = z.strictObject({
  address,
  action: z.enum(["create", "update", "supersede", "adopt", "delete"]),
  /** Name of the object in the request. */
  label: z.string(),
  /** Object id. Only for updates and deletes. */
  id: z.exactOptional(id),
  /** Managed fields in the request. */
  sent: fields,
  fingerprints,
  versions,
  /** Ids of objects that already had this name, so this write did not create them. */
  known: z.array(id),
  /** Time of the intent (ISO 8601), by the service's clock if known, otherwise by ours. */
  at: z.string(),
  /** Time when the run stopped, for a create without an outcome. */
  stopped: z.exactOptional(stoppedForm),
  /** Run that sent the write. Copied from the journal header. Omitted in intents from earlier versions. */
  run: z.exactOptional(runFacts),
});

/** Write that is about to be sent. Recorded durably before the request. */
export type Intent = DeepReadonly<z.infer<typeof intentForm>>;

/** Hold, which pauses changes to some or all objects. */
export const holdForm = z.strictObject({
  /** Paused object addresses. Omitted if the hold covers all objects. */
  addresses: z.exactOptional(z.array(address).min(1)),
  reason: z.string().min(1),
  /** Who placed the hold (unverified). */
  by: z.string(),
  /** Start (ISO 8601). */
  since: z.iso.datetime(),
  /** Expiry (ISO 8601). */
  until: z.exactOptional(z.iso.datetime()),
  /**
   * Serial of the rollback that placed this hold. The hold on an object ends once the files declare its restored
   * values.
   */
  restored: z.exactOptional(z.int().nonnegative()),
});

export type ApplyHold = DeepReadonly<z.infer<typeof holdForm>>;

/** Project that a state belongs to. Origin and path are omitted without git. */
export const projectIdentityForm = z.strictObject({
  /** Repository path on its host, in lower case, such as `team/avatars`. */
  origin: optionalText,
  /** Path to the project folder in the repository, with forward slashes ("" for the root). */
  path: optionalText,
  environment: optionalText,
});

export type ProjectIdentity = DeepReadonly<z.infer<typeof projectIdentityForm>>;

/** Mark in the text of a state that was moved to another location. */
export const movedForm = z.object({
  moved: z.strictObject({
    /** New value of `state:`. */
    to: z.string(),
    /** Time of the move (ISO 8601). */
    at: z.iso.datetime(),
  }),
});

export const stateFileForm = z.strictObject({
  version: z.literal(1),
  /** UUID created with the state. */
  lineage: z.string().min(1),
  /** Number of this version. Each commit adds one. */
  serial: z.int().nonnegative(),
  /** Base URL of the account. */
  service: z.string(),
  /** Project that the state belongs to. Omitted in states from earlier versions, until the next commit. */
  project: z.exactOptional(projectIdentityForm),
  /** Random key for the secret fingerprints (base64url), created with the first fingerprint. */
  fingerprintKey: z.exactOptional(z.string().min(1)),
  /** Entries of managed objects, by address. */
  objects: z.record(address, entryForm),
  /** Pending writes by address. Their outcome is unknown. The next plan looks for their results. */
  pending: z.record(address, intentForm),
  holds: z.exactOptional(z.array(holdForm)),
  /** Id of the last applied journal (see journal.ts). */
  journal: optionalText,
});

/** Stored form of a state. */
export type StateFile = DeepReadonly<z.infer<typeof stateFileForm>>;

/** Last applied state of an account, without long texts and secrets. */
export type State = Omit<StateFile, "journal">;

/** Describes the first problem with a value, with its path in code syntax. The check must use `reportInput`. */
export function findFirstProblem({ issues: [issue] }: z.ZodError): { at: string; problem: string } {
  if (!issue) throw new Error("Bug: a failed check has no issue");
  if (issue.code === "unrecognized_keys") {
    return { at: formatPath([...issue.path, issue.keys[0] ?? ""]), problem: "is not a state field" };
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
