import type { System } from "../../base/system/index.js";
import type { Service } from "../api/index.js";
import type { Kind, Listing, Spec, Value } from "../kinds/index.js";
import type { Sealed } from "../secrets/index.js";

/** Write-only values by field, sealed until they are sent. */
export type WriteOnlyValues = Readonly<Record<string, Sealed>>;

export interface WriteContext {
  readonly kind: Kind;
  /** Client for the write. */
  readonly service: Service;
  /** Client that reads the object before and after the write. May be read-only. */
  readonly reader: Service;
  /** Digest of the object's copy before our last write, for an update (see listed-copy.ts). */
  readonly copyBefore?: string | undefined;
  /** Declared fields. An update sends the live values of all other fields. */
  readonly spec: Spec;
  readonly values: WriteOnlyValues;
  /** Returns the kind's whole list. With `fresh`, reads the list again, because a write may have changed it. */
  readonly list: (options: { readonly fresh: boolean }) => Promise<Listing>;
  /**
   * Returns whether an object certainly does not come from this create, because it existed before or belongs to another
   * declaration.
   */
  readonly isForeign: (id: string) => boolean;
  /** Returns whether another declaration has the name. Default: unknown, so no name is rejected. */
  readonly isOtherName?: (name: string) => boolean;
  /**
   * Called after the last check, before the first byte is sent. The command writes its journal here. An error cancels
   * the write.
   */
  readonly beforeSend?: () => Promise<void>;
  /** Normalizes values before a comparison, such as to Unicode NFC. Default: unchanged. */
  readonly normalize?: (value: Value | undefined) => Value | undefined;
  readonly system: System;
  /** Signal that cancels waits. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum time to search for a lost create, in ms. Default: the request's time limit, but at least 10,000. */
  readonly settleMs?: number | undefined;
  /** Called before each pause between searches for a lost create. */
  readonly onWait?: (forMs: number) => void;
}
