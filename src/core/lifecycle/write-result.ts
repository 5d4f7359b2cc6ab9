import type { ServiceError } from "../api/index.js";
import type { ListedObject, Live } from "../kinds/index.js";
import type { Mismatch } from "./mismatch.js";

export type RemoveResult =
  /** There is no object with that id; `recovered`: the response was lost, and reading showed it. */
  | { readonly outcome: "removed"; readonly recovered: boolean }
  /** The response was lost, and the object still exists. It may be repeated. */
  | { readonly outcome: "still-there"; readonly error: ServiceError }
  | Extract<WriteResult, { outcome: "refused" | "stale" }>
  /** It was sent, and its outcome is unknown. It may be repeated. */
  | { readonly outcome: "unknown"; readonly error: ServiceError };

export type WriteResult =
  /** The object is now `live`. With mismatches, the service stored something other than was sent. */
  | {
      readonly outcome: "written";
      readonly live: Live;
      readonly mismatches: readonly Mismatch[];
      /** The response was lost; reading showed the result. */
      readonly recovered: boolean;
      /** When it was sent, by the service's clock, in ms. */
      readonly sentAtMs: number;
      /** For an update: the object before it, if readable. */
      readonly before?: Live | undefined;
      /** Digest of the object's copy before an update, to be kept; see listed-copy.ts. */
      readonly copyBefore?: string | undefined;
    }
  /** Nothing was done: it was not sent, or the service refused it. */
  | {
      readonly outcome: "refused";
      readonly error: ServiceError;
      /** For a taken name: the objects that have it, as far as the list could be read. */
      readonly nameHolders?: readonly ListedObject[];
    }
  /** Nothing was sent: the object changed since the write was planned. */
  | {
      readonly outcome: "stale";
      readonly live: Live;
      /** The fields that changed, if the expectation contains them. */
      readonly fields: readonly string[];
    }
  /** There is no object with that id. With `error`, the service said so in its response to the write. */
  | { readonly outcome: "gone"; readonly error?: ServiceError }
  /** It was sent, and its outcome is unknown. It must not be repeated. */
  | {
      readonly outcome: "unknown";
      readonly error: ServiceError;
      /** Objects that a lost create may have made: with its name, and other content. */
      readonly candidates: readonly ListedObject[];
    };
