import type { Service } from "../api/index.js";
import type { Kind, Listing, Spec, Value } from "../kinds/index.js";
import type { Sealed } from "../secrets/index.js";

/** Write-only values by field, sealed until the call that sends them. */
export type WriteOnlyValues = Readonly<Record<string, Sealed>>;

/** What one write needs. All that the command and the provider do differently about a write is in here. */
export interface WriteContext {
  readonly kind: Kind;
  /** May write. */
  readonly service: Service;
  /** Looks at the object before and after the write; may be a client that cannot write. */
  readonly reader: Service;
  /** The declared fields. An update sends those it does not name as the service has them. */
  readonly spec: Spec;
  readonly values: WriteOnlyValues;
  /** The whole list of the kind. `fresh`: read anew, since a write may have changed it. */
  readonly list: (options: { readonly fresh: boolean }) => Promise<Listing>;
  /** Whether an object is certainly not what this create made: it had the name before, or belongs to another declaration. */
  readonly isForeign: (id: string) => boolean;
  /** Called after the last check, before the first byte leaves. The command writes its journal in it; what it throws ends the write. */
  readonly beforeSend?: () => Promise<void>;
  /** The form in which values are compared, e.g. Unicode's normal form. Default: as they are. */
  readonly normalize?: (value: Value | undefined) => Value | undefined;
  /** Wall clock in ms. */
  readonly now: () => number;
  /** Ends pauses. */
  readonly signal?: AbortSignal | undefined;
  /** How long a lost create may take to show. */
  readonly settleMs: number;
  /** Called before each pause between two searches for a lost create. */
  readonly onWait?: (forMs: number) => void;
}
