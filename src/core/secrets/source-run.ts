/**
 * Results and connections of one run. Identical sources are read only once, even if the read fails, until
 * `forgetValues` is called.
 */
export class SourceRun {
  readonly #results = new Map<string, Promise<unknown>>();
  readonly #connections = new Map<string, Promise<unknown>>();
  readonly #closing: (() => unknown)[] = [];
  readonly #forgetting: (() => unknown)[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** Runs `work` once for each key and returns its result. */
  runOnce<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const known = this.#results.get(key) as Promise<Result> | undefined;
    if (known) return known;
    const result = this.#limit(work);
    this.#results.set(key, result);
    return result;
  }

  /**
   * Returns the connection for the key. If opening it fails, the next caller tries again. `forget` drops the values that
   * the connection has cached.
   */
  shareConnection<Opened>(
    key: string,
    open: () => Promise<Opened>,
    close?: (opened: Opened) => unknown,
    forget?: (opened: Opened) => unknown,
  ): Promise<Opened> {
    const known = this.#connections.get(key) as Promise<Opened> | undefined;
    if (known) return known;
    const opening = open();
    this.#connections.set(key, opening);
    opening.then(
      (opened) => {
        if (close) this.#closing.push(() => close(opened));
        if (forget) this.#forgetting.push(() => forget(opened));
      },
      () => this.#connections.delete(key),
    );
    return opening;
  }

  /** Forces later reads to fetch current values. Connections stay open. */
  forgetValues(): void {
    this.#results.clear();
    for (const forget of this.#forgetting) forget();
  }

  /** Closes the connections and forgets the values. Ignores errors, because the process ends soon. */
  async close(): Promise<void> {
    this.forgetValues();
    this.#connections.clear();
    this.#forgetting.length = 0;
    await Promise.allSettled(this.#closing.splice(0).map(async (close) => close()));
  }

  /** Runs at most eight reads at a time, so that projects with many secrets stay below a vault's rate limit. */
  async #limit<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#busy >= 8) await new Promise<void>((start) => this.#waiting.push(start));
    else this.#busy++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }
}
