/** What avatarops last did to an account: no text beyond short values, and no secret. */
export interface State {
  readonly version: 1;
  /** UUID created with the state; distinguishes states. */
  readonly lineage: string;
  /** Grows by one with every write. */
  readonly serial: number;
  /** Base URL of the account the ids belong to. */
  readonly service: string;
  /** By address. */
  readonly objects: Readonly<Record<string, Entry>>;
  /** Creates without an answer, by address: the next observe looks for their objects. */
  readonly pending: Readonly<Record<string, Intent>>;
  /** Random key of the secret fingerprints, base64url; created with the first fingerprint. */
  readonly fingerprintKey?: string;
}

/** A managed object. */
export interface Entry {
  readonly id: string;
  /** The fields as last applied. */
  readonly applied: Readonly<Record<string, StoredValue>>;
  /**
   * The service's `updated_at` at which the live object equalled `applied`, once old enough to be trusted.
   */
  readonly inSyncAt?: string;
  /** Digest of what others showed of it before the last write; they may go on showing it. */
  readonly copyBefore?: string;
  /** Fingerprints of the write-only fields. */
  readonly fingerprints?: Readonly<Record<string, string>>;
  /** Versions of the write-only fields, as far as known. */
  readonly versions?: Readonly<Record<string, ValueVersion>>;
  /** ISO 8601: when write-only fields were last sent. */
  readonly writtenAt?: string;
  /** Objects that this one superseded; they are still stored in the service. */
  readonly stale?: readonly StaleObject[];
  /** It is not to be deleted, whatever becomes of its declaration. */
  readonly protected?: true;
}

/** A stored value: itself if short, otherwise its digest and length in UTF-16 code units. */
export type StoredValue = string | readonly Readonly<Record<string, string>>[] | StoredDigest;

export interface StoredDigest {
  readonly digest: string;
  readonly length: number;
}

/** Which value was sent: not secret. */
export interface ValueVersion {
  /** Digest of which value its source names; absent: the version is the declared one. */
  readonly source?: string;
  /** The same by the files alone, without what the environment adds. */
  readonly written?: string;
  /** Absent: the source tells none. */
  readonly version?: string;
}

export interface StaleObject {
  readonly id: string;
  readonly label: string;
  /** ISO 8601: when it was superseded. */
  readonly since: string;
}

/** A write about to be sent, recorded and synced to disk before the request. */
export interface Intent {
  readonly address: string;
  readonly action: "create" | "update" | "supersede" | "adopt" | "delete";
  /** The object's label as sent. */
  readonly label: string;
  /** Of updates and deletes. */
  readonly id?: string;
  /** The managed fields as sent. */
  readonly sent: Readonly<Record<string, StoredValue>>;
  readonly fingerprints?: Readonly<Record<string, string>>;
  readonly versions?: Readonly<Record<string, ValueVersion>>;
  /** Ids of the objects that had the label before: none of them is ours. */
  readonly known: readonly string[];
  /** ISO 8601, by the service's clock if known, otherwise by ours. */
  readonly at: string;
}
