import type { ServiceError } from "../api/index.js";
import type { ListedObject, RemoteObject } from "../kinds/index.js";
import type { Mismatch } from "./mismatch.js";

export type RemoveResult =
  /**
   * Missing object, because it was deleted. `recovered` means that the response was lost and a read showed the result.
   */
  | { readonly outcome: "removed"; readonly recovered: boolean }
  /** Remaining object, after a lost response. The delete may be retried. */
  | { readonly outcome: "still-there"; readonly error: ServiceError }
  | Extract<WriteResult, { outcome: "refused" | "stale" }>
  /** Sent request with an unknown outcome. The delete may be retried. */
  | { readonly outcome: "unknown"; readonly error: ServiceError };

export type WriteResult =
  /** Written object. `live` has its current values, and `mismatches` are differences from the request. */
  | {
      readonly outcome: "written";
      readonly live: RemoteObject;
      readonly mismatches: readonly Mismatch[];
      /** Whether the response was lost and a read showed the result. */
      readonly recovered: boolean;
      /** Time when the write was sent, by the service's clock. */
      readonly sentAtMs: number;
      /** Object before an update, if readable. */
      readonly before?: RemoteObject | undefined;
      /** Digest of the object's copy before an update, to be stored (see listed-copy.ts). */
      readonly copyBefore?: string | undefined;
    }
  /** Write without effect, because the request was not sent or the service refused it. */
  | {
      readonly outcome: "refused";
      readonly error: ServiceError;
      /** Objects with the name, if it is taken and the list could be read. */
      readonly nameHolders?: readonly ListedObject[];
    }
  /** Write that was not sent, because the object changed after the plan. */
  | {
      readonly outcome: "stale";
      readonly live: RemoteObject;
      /** Changed fields. Empty if only a digest was expected. */
      readonly fields: readonly string[];
    }
  /** Missing object. `error` is set if the response to the write reported "not found". */
  | { readonly outcome: "gone"; readonly error?: ServiceError }
  /** Sent request with an unknown outcome. The write must not be retried. */
  | {
      readonly outcome: "unknown";
      readonly error: ServiceError;
      /** Objects that a lost create may have made, with the same name but other content. */
      readonly candidates: readonly ListedObject[];
    };
