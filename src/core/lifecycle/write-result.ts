import type { ServiceError } from "../api/index.js";
import type { ListedObject, RemoteObject } from "../kinds/index.js";
import type { Mismatch } from "./mismatch.js";

export type RemoveResult =
  /** Deleted. `recovered` means that the response was lost, and a later read showed that the object is gone. */
  | { readonly outcome: "removed"; readonly recovered: boolean }
  /** Not deleted. The response was lost, and a later read found the object. The delete may be retried. */
  | { readonly outcome: "still-there"; readonly error: ServiceError }
  | Extract<WriteResult, { outcome: "refused" | "stale" }>
  /** Sent, but the outcome is unknown. The delete may be retried. */
  | { readonly outcome: "unknown"; readonly error: ServiceError };

export type WriteResult =
  /** Written. `live` is the object after the write, and `mismatches` are its differences from the request. */
  | {
      readonly outcome: "written";
      readonly live: RemoteObject;
      readonly mismatches: readonly Mismatch[];
      /** Whether the response was lost, and a later read showed the result. */
      readonly recovered: boolean;
      /** Time when the write was sent, by the service's clock. */
      readonly sentAtMs: number;
      /** Object before an update, if readable. */
      readonly before?: RemoteObject | undefined;
      /** Digest of the object's copy before an update, for the state (see listed-copy.ts). */
      readonly copyBefore?: string | undefined;
    }
  /** Not written, because the request was not sent or the service refused it. */
  | {
      readonly outcome: "refused";
      readonly error: ServiceError;
      /** Objects that already use the name, if any were found. */
      readonly nameHolders?: readonly ListedObject[];
    }
  /** Not sent, because the object changed after the plan. */
  | {
      readonly outcome: "stale";
      readonly live: RemoteObject;
      /** Changed fields. Empty if only a digest was expected. */
      readonly fields: readonly string[];
    }
  /** The object does not exist. `error` is set if the service responded to the write with "not found". */
  | { readonly outcome: "gone"; readonly error?: ServiceError }
  /** Sent, but the outcome is unknown. The write must not be retried. */
  | {
      readonly outcome: "unknown";
      readonly error: ServiceError;
      /** Objects with the same name but different content. A lost create may have created one of them. */
      readonly candidates: readonly ListedObject[];
    };
