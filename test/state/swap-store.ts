import { withRetries } from "../../src/core/state/retry.js";
import {
  createNames,
  createRefusedError,
  createUnreachableError,
  describeReason,
} from "../../src/core/state/stores/errors.js";
import type { SwapStore } from "../../src/core/state/stores/lock-by-swap.js";

/** Stores texts with compare-and-swap. After an error without the `code` "refused", the outcome is unknown. */
export type SwapTexts = Omit<SwapStore, "names" | "isLockBranch">;

/** Creates a store from `texts` that retries reads and throws StateError. */
export function toSwapStore(
  texts: SwapTexts,
  location: string,
  retry: Parameters<typeof withRetries>[0],
): SwapStore {
  return {
    names: createNames(location, "the store may keep earlier versions"),
    read: (...parts) => withRetries(retry, () => translateErrors(location, () => texts.read(...parts))),
    swap: (...given) => translateErrors(location, () => texts.swap(...given)),
    readHistory: () => texts.readHistory(),
    close: async () => texts.close?.(),
  };
}

async function translateErrors<Of>(location: string, work: () => Of | Promise<Of>): Promise<Of> {
  try {
    return await work();
  } catch (error) {
    if (Object(error).code !== "refused")
      throw createUnreachableError(location, describeReason(error), error);
    throw createRefusedError(location, describeReason(error), "Check `state:` in the manifest.", error);
  }
}
