import type { ServiceError } from "../api/index.js";
import type { ListedObject, Live } from "../kinds/index.js";
import type { Mismatch } from "./mismatch.js";

/** How a removal ended. */
export type RemoveResult =
  /** There is no object of that id; `recovered`: the answer was lost, and that was seen by looking. */
  | { readonly outcome: "removed"; readonly recovered: boolean }
  /** The answer was lost, and the object is still there. It may be sent again. */
  | { readonly outcome: "still-there"; readonly error: ServiceError }
  | Extract<WriteResult, { outcome: "refused" | "stale" }>
  /** It was sent, and whether it was done is not known. It may be sent again. */
  | { readonly outcome: "unknown"; readonly error: ServiceError };

/** How a write ended. */
export type WriteResult =
  /** The object is as `live` has it. With mismatches the service stored something else than was sent. */
  | {
      readonly outcome: "written";
      readonly live: Live;
      readonly mismatches: readonly Mismatch[];
      /** The answer was lost; what was done was found by looking. */
      readonly recovered: boolean;
      /** When it was sent, by the service's clock, in ms. */
      readonly sentAtMs: number;
      /** Of an update: the object as it was before, where it can be read. */
      readonly before?: Live | undefined;
    }
  /** Nothing was done: it was not sent, or the service answered no. */
  | {
      readonly outcome: "refused";
      readonly error: ServiceError;
      /** Where the name is taken: the objects that have it, as far as the list could be read. */
      readonly nameHolders?: readonly ListedObject[];
    }
  /** Nothing was sent: the object is no longer the one the write was planned for. */
  | {
      readonly outcome: "stale";
      readonly live: Live;
      /** The fields that changed, where the expectation tells them. */
      readonly fields: readonly string[];
    }
  /** There is no object of that id. With `error`, the service said so in answer to the write. */
  | { readonly outcome: "gone"; readonly error?: ServiceError }
  /** It was sent, and whether it was done is not known. It must not be sent again. */
  | {
      readonly outcome: "unknown";
      readonly error: ServiceError;
      /** Objects that a lost create may have made: of that name, and with other content. */
      readonly candidates: readonly ListedObject[];
    };
