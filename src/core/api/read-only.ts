import type { Send } from "./request.js";

/** Allows only GET: planning cannot write, whatever its code does. */
export function readsOnly(next: Send): Send {
  return async (request) => {
    if (request.method !== "GET") {
      throw new Error(`Bug: ${request.method} ${request.path} through a read-only client`);
    }
    return next(request);
  };
}
