import type { Result } from "./outcome.js";

/** Change that may have to wait for others. */
interface OrderedStep {
  readonly address: string;
  readonly after?: readonly string[];
}

/**
 * Runs the changes in plan order, at most `width` at once, each after its prerequisites (`after`). If a prerequisite
 * was not applied, `run` receives its result. If `run` throws, starts no more changes, and throws the error once all
 * running changes have ended.
 */
export async function runInOrder<Of extends OrderedStep>(
  changes: readonly Of[],
  width: number,
  run: (change: Of, failedBefore?: Result) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<string, Result>();
  const queue = openQueue(changes);

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
        const change = queue.take();
        if (!change) return;
        running += 1;
        const before = (change.after ?? []).flatMap((first) => results.get(first) ?? []);
        run(
          change,
          before.find(({ status }) => status !== "applied"),
        ).then(
          (ended) => {
            results.set(change.address, ended);
            queue.release(change.address);
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

/** Queues steps in order, and releases each one once its prerequisites have ended. */
function openQueue<Of extends OrderedStep>(steps: readonly Of[]) {
  const addresses = new Set(steps.map(({ address }) => address));
  const missing: number[] = [];
  const followers = new Map<string, number[]>();
  const ready: number[] = [];
  for (const [at, { after = [] }] of steps.entries()) {
    const firsts = new Set(after.filter((first) => addresses.has(first)));
    missing.push(firsts.size);
    if (firsts.size === 0) ready.push(at);
    for (const first of firsts) {
      const known = followers.get(first);
      if (known) known.push(at);
      else followers.set(first, [at]);
    }
  }
  return {
    /** Removes and returns the first ready step, if any. */
    take(): Of | undefined {
      const at = ready.shift();
      return at === undefined ? undefined : steps[at];
    },
    /** Marks a step as ended. */
    release(address: string): void {
      for (const at of followers.get(address) ?? []) {
        const left = (missing[at] ?? 0) - 1;
        missing[at] = left;
        if (left === 0) insertInOrder(ready, at);
      }
    },
  };
}

function insertInOrder(sorted: number[], value: number): void {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, value);
}
