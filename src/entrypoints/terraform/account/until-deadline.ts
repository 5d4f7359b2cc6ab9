import { ServiceError } from "../../../core/api/index.js";

/**
 * Waits for what other calls may wait for as well: at the deadline only this wait ends, with an error like those of requests.
 * `what` begins its message.
 */
export function untilDeadline<T>(
  deadline: AbortSignal | undefined,
  what: string,
  shared: Promise<T>,
): Promise<T> {
  if (!deadline) return shared;
  return new Promise((resolve, reject) => {
    const end = () => {
      const message = `${what} was ${deadline.reason.message}.`;
      reject(new ServiceError(message, { code: "timeout", method: "GET", path: "", outcome: "not-sent" }));
    };
    if (deadline.aborted) end();
    deadline.addEventListener("abort", end);
    shared.then(resolve, reject).finally(() => deadline.removeEventListener("abort", end));
  });
}
