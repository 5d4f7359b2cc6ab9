import type { Send } from "./request.js";

/** Lets reads through and nothing else: planning cannot write, whatever the code above it does. */
export function readsOnly(next: Send): Send {
  return async (request) => {
    if (request.method !== "GET") {
      throw new Error(`Bug: ${request.method} ${request.path} through a client that may only read`);
    }
    return next(request);
  };
}
