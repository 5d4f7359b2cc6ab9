import type { System } from "../../base/system/index.js";
import type { Service } from "../api/index.js";
import type { Kind, Listing, Spec, Value } from "../kinds/index.js";
import type { Sealed } from "../secrets/index.js";

/** Write-only values by field, sealed until the call that sends them. */
export type WriteOnlyValues = Readonly<Record<string, Sealed>>;

export interface WriteContext {
  readonly kind: Kind;
  /** May write. */
  readonly service: Service;
  /** Reads the object before and after the write; may be a read-only client. */
  readonly reader: Service;
  /** Digest of the object's copy before our last write, for an update; see listed-copy.ts. */
  readonly copyBefore?: string | undefined;
  /** The declared fields. An update sends the live values of all other fields. */
  readonly spec: Spec;
  readonly values: WriteOnlyValues;
  /** The whole list of the kind. `fresh`: read again, because a write may have changed it. */
  readonly list: (options: { readonly fresh: boolean }) => Promise<Listing>;
  /**
   * Whether an object is certainly not the result of this create: it had the name before, or belongs to
   * another declaration.
   */
  readonly isForeign: (id: string) => boolean;
  /**
   * Called after the last check, before the first byte is sent. The command writes its journal here; if it
   * throws, the write ends.
   */
  readonly beforeSend?: () => Promise<void>;
  /** The form in which values are compared, e.g. Unicode normalization. Default: as they are. */
  readonly normalize?: (value: Value | undefined) => Value | undefined;
  readonly system: System;
  /** Cancels waits. */
  readonly signal?: AbortSignal | undefined;
  /** How long to look for a lost create, in ms. Default: until the request's time limit is over, and at least 10,000. */
  readonly settleMs?: number | undefined;
  /** Called before each pause between two searches for a lost create. */
  readonly onWait?: (forMs: number) => void;
}
