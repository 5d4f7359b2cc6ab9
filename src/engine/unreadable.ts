import { ServiceError, type ServiceErrorCode } from "../api/index.js";

/** Trouble with the connection, the key or the rate: the next object would fare no better. */
const concernsAll: ReadonlySet<ServiceErrorCode> = new Set([
  "unreachable",
  "dns",
  "tls",
  "unauthorized",
  "rate-limited",
  "cancelled",
]);

/** So many failures in a row are no longer about single objects. */
const failuresInARow = 10;

/** Whether an object's read failed in a way that says nothing of the others: they can be read all the same. */
function concernsOneObject(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !concernsAll.has(error.code);
}

/** An object that cannot be read. */
export interface Unreadable {
  readonly seen: "unreadable";
  readonly error: ServiceError;
}

/** Reads for one address; see {@link isolateReadErrors}. */
export type IsolatedRead = <Seen>(address: string, look: () => Promise<Seen>) => Promise<Seen | Unreadable>;

/**
 * Keeps one object that cannot be read from ending the whole plan. A service that fails object after object is not
 * asked on: that is trouble of the service, and thrown as such.
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

/** The error, with the address of the object it concerns. */
export function withAddress(error: ServiceError, address: string): ServiceError {
  error.message = `${error.message} It was read for ${address}.`;
  return error;
}

/** What a user can do about an object of the state that cannot be read. */
export function forgetHint(address: string): string {
  return `If the account has lost it, \`avatarops state forget ${address}\` lets go of it.`;
}
