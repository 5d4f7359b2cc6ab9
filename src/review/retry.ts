import { setTimeout as sleep } from "node:timers/promises";
import { HostError, hostErrorIn } from "./errors.js";
import { cancelled } from "./wire.js";

export interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Before the second attempt; doubled before each further one. Default: 500. */
  readonly backoffMs?: number | undefined;
  /** The longest wait that a host may ask for. Default: 60,000. */
  readonly patienceMs?: number | undefined;
}

/** What is done, to follow "Cannot": "create a comment on pull request 7 of team/avatars". */
export interface Operation {
  readonly what: string;
  /** Doing it twice is the same as doing it once. */
  readonly repeatable: boolean;
}

export type Retry = <Result>(operation: Operation, send: () => Promise<Result>) => Promise<Result>;

const mostAttempts = 4;

/**
 * Sends requests to a host, again if it cannot take them just now. What is not repeatable is sent again only if the host did not process it.
 *
 * @throws HostError that says what could not be done.
 */
export function retrying(title: string, options: RetryOptions): Retry {
  const { signal, backoffMs = 500, patienceMs = 60_000 } = options;
  return async ({ what, repeatable }, send) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send();
      } catch (thrown) {
        const error = hostErrorIn(thrown);
        if (!error) throw thrown;
        const waitMs = error.retryAfterMs ?? backoffMs * 2 ** (attempt - 1) * (1 + Math.random() / 4);
        if (attempt === mostAttempts || !isPassing(error, repeatable) || waitMs > patienceMs)
          throw about(title, what, error);
        await sleep(waitMs, undefined, { signal }).catch(() => {
          throw about(title, what, cancelled());
        });
      }
    }
  };
}

function isPassing({ code, outcome }: HostError, repeatable: boolean): boolean {
  const passing = [
    "host-unreachable",
    "host-timeout",
    "host-unavailable",
    "host-rate-limited",
    "host-wrong-answer",
  ];
  return passing.includes(code) && (repeatable || outcome === "not-sent");
}

function about(title: string, what: string, error: HostError): HostError {
  return new HostError(
    `Cannot ${what} on ${title}: ${error.message}`,
    error as HostError & { cause?: Error },
  );
}

/** Waits for a removal; what is gone already is as good as removed. */
export async function ignoreNotFound(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!(error instanceof HostError && error.code === "host-not-found")) throw error;
  }
}
