import { ServiceError, type ServiceErrorCode } from "../api/index.js";

/** Codes of errors that would affect every object, such as connection, key and rate limit errors. */
const affectsAll: ReadonlySet<ServiceErrorCode> = new Set([
  "unreachable",
  "dns",
  "tls",
  "proxy",
  "unauthorized",
  "rate-limited",
  "cancelled",
]);

/** Number of consecutive failures after which the service counts as down. */
const maxConsecutiveFailures = 10;

/** Returns whether an error affects only one object, so that other objects may still be readable. */
function isAboutOneObject(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !affectsAll.has(error.code);
}

export interface Unreadable {
  readonly seen: "unreadable";
  readonly error: ServiceError;
}

/** Reader for one address. See {@link isolateReadErrors}. */
export type IsolatedRead = <Seen>(address: string, look: () => Promise<Seen>) => Promise<Seen | Unreadable>;

/** Prevents one unreadable object from failing the whole plan. After several consecutive failures, throws the error. */
export function isolateReadErrors(): IsolatedRead {
  let consecutiveFailures = 0;
  return async (address, look) => {
    try {
      const seen = await look();
      consecutiveFailures = 0;
      return seen;
    } catch (error) {
      if (!isAboutOneObject(error)) throw error;
      consecutiveFailures += 1;
      if (consecutiveFailures >= maxConsecutiveFailures) throw withAddress(error, address);
      return { seen: "unreadable", error };
    }
  };
}

/** Adds the object's address to the message. */
export function withAddress(error: ServiceError, address: string): ServiceError {
  error.message = `${error.message} This happened while reading ${address}.`;
  return error;
}

/** Returns the advice for a managed object that cannot be read. */
export function adviseForgetting(address: string): string {
  return `If it no longer exists in the account, stop managing it: \`avatarops state forget ${address}\`.`;
}
