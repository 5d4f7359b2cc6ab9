import { ServiceError } from "../../../core/api/index.js";

/**
 * Waits for a shared promise until the deadline, and then throws the same timeout as a request. Other calls keep
 * waiting. `subject` begins the error message.
 */
export function waitUntilDeadline<T>(
  deadline: AbortSignal | undefined,
  subject: string,
  shared: Promise<T>,
): Promise<T> {
  if (!deadline) return shared;
  return new Promise((resolve, reject) => {
    const end = () => {
      const message = `${subject} was ${deadline.reason.message}.`;
      reject(new ServiceError(message, { code: "timeout", method: "GET", path: "", outcome: "not-sent" }));
    };
    if (deadline.aborted) end();
    deadline.addEventListener("abort", end);
    shared.then(resolve, reject).finally(() => deadline.removeEventListener("abort", end));
  });
}
