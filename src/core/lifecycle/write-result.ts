import type { ServiceError } from "../api/index.js";
import type { ListedObject, RemoteObject } from "../kinds/index.js";
import type { Mismatch } from "./mismatch.js";

export type RemoveResult =
  /** No object has that id. `recovered`: the response was lost, and reading showed it. */
  | { readonly outcome: "removed"; readonly recovered: boolean }
  /** The response was lost, and the object still exists. May be retried. */
  | { readonly outcome: "still-there"; readonly error: ServiceError }
  | Extract<WriteResult, { outcome: "refused" | "stale" }>
  /** The request was sent and its outcome is unknown. May be retried. */
  | { readonly outcome: "unknown"; readonly error: ServiceError };

export type WriteResult =
  /** The object is now `live`. Mismatches are differences from the request. */
  | {
      readonly outcome: "written";
      readonly live: RemoteObject;
      readonly mismatches: readonly Mismatch[];
      /** Whether the response was lost and reading showed the result. */
      readonly recovered: boolean;
      /** Time it was sent, by the service's clock. */
      readonly sentAtMs: number;
      /** The object before an update, if readable. */
      readonly before?: RemoteObject | undefined;
      /** Digest of the object's copy before an update, to be stored; see listed-copy.ts. */
      readonly copyBefore?: string | undefined;
    }
  /** Nothing changed: the request was not sent, or the service refused it. */
  | {
      readonly outcome: "refused";
      readonly error: ServiceError;
      /** For a taken name: the objects that have it, if the list could be read. */
      readonly nameHolders?: readonly ListedObject[];
    }
  /** Nothing was sent, because the object changed after the plan. */
  | {
      readonly outcome: "stale";
      readonly live: RemoteObject;
      /** The changed fields; empty if only a digest was expected. */
      readonly fields: readonly string[];
    }
  /** No object has that id. `error` is set if the response to the write reported it. */
  | { readonly outcome: "gone"; readonly error?: ServiceError }
  /** The request was sent and its outcome is unknown. Must not be retried. */
  | {
      readonly outcome: "unknown";
      readonly error: ServiceError;
      /** Objects that a lost create may have made: they have its name and other content. */
      readonly candidates: readonly ListedObject[];
    };
