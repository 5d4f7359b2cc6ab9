import type { Result } from "./outcome.js";

/** A task that runs after others. */
interface OrderedStep {
  readonly address: string;
  readonly after?: readonly string[];
}

/**
 * Runs the changes, at most `width` at once, each after those in its `after`; otherwise in the plan's order.
 * If one of those is not `applied`, the change is run with that result, to be skipped.
 *
 * If `run` throws, nothing new is started, and the error is thrown after everything running has ended: it
 * still records under the lock, which is released afterwards.
 */
export async function runInOrder<Of extends OrderedStep>(
  changes: readonly Of[],
  width: number,
  run: (change: Of, failedBefore?: Result) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<string, Result>();
  const waiting = [...changes];
  const addresses = new Set(changes.map(({ address }) => address));
  const isReady = ({ after = [] }: Of) => after.every((first) => !addresses.has(first) || results.has(first));

  await new Promise<void>((resolve, reject) => {
    let running = 0;
    let broken: { readonly error: unknown } | undefined;
    const advance = () => {
      if (broken) {
        if (running === 0) reject(broken.error);
        return;
      }
      if (results.size === changes.length) resolve();
      while (running < width) {
        const at = waiting.findIndex(isReady);
        const [change] = at === -1 ? [] : waiting.splice(at, 1);
        if (!change) return;
        running += 1;
        const before = (change.after ?? []).flatMap((first) => results.get(first) ?? []);
        run(
          change,
          before.find(({ status }) => status !== "applied"),
        ).then(
          (ended) => {
            results.set(change.address, ended);
            running -= 1;
            advance();
          },
          (error: unknown) => {
            broken ??= { error };
            running -= 1;
            advance();
          },
        );
      }
    };
    advance();
  });
  return changes.map(({ address }) => results.get(address) as Result);
}
