import { ServiceError, type ServiceErrorCode } from "../api/index.js";

/** An error of the connection, the key or the rate: the next object would fail as well. */
const concernsAll: ReadonlySet<ServiceErrorCode> = new Set([
  "unreachable",
  "dns",
  "tls",
  "proxy",
  "unauthorized",
  "rate-limited",
  "cancelled",
]);

/** So many failures in a row are no longer about single objects. */
const failuresInARow = 10;

/** Whether a failed read says nothing about other objects, which may still be readable. */
function concernsOneObject(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !concernsAll.has(error.code);
}

export interface Unreadable {
  readonly seen: "unreadable";
  readonly error: ServiceError;
}

/** Reads for one address; see {@link isolateReadErrors}. */
export type IsolatedRead = <Seen>(address: string, look: () => Promise<Seen>) => Promise<Seen | Unreadable>;

/**
 * Prevents one unreadable object from ending the whole plan. If object after object fails, the service is
 * failing, and the error is thrown.
 */
export function isolateReadErrors(): IsolatedRead {
  let inARow = 0;
  return async (address, look) => {
    try {
      const seen = await look();
      inARow = 0;
      return seen;
    } catch (error) {
      if (!concernsOneObject(error)) throw error;
      inARow += 1;
      if (inARow >= failuresInARow) throw withAddress(error, address);
      return { seen: "unreadable", error };
    }
  };
}

/** The error, with the address of its object. */
export function withAddress(error: ServiceError, address: string): ServiceError {
  error.message = `${error.message} It was read for ${address}.`;
  return error;
}

/** What a user can do about an object of the state that cannot be read. */
export function forgetHint(address: string): string {
  return `If it no longer exists in the account, stop managing it: \`avatarops state forget ${address}\`.`;
}
