/**
 * One run: each result and each connection that it has asked for. Equal sources are read once, whoever asks first, and
 * a failure is the result for the rest of the run. Not kept longer than the run.
 */
export class SourceRun {
  readonly #results = new Map<string, Promise<unknown>>();
  readonly #connections = new Map<string, Promise<unknown>>();
  readonly #closing: (() => unknown)[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** The result of `work`, which is done once for each key. */
  once<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const known = this.#results.get(key) as Promise<Result> | undefined;
    if (known) return known;
    const result = this.#inTurn(work);
    this.#results.set(key, result);
    return result;
  }

  /** What was opened for the key. A connection that could not be opened is tried again by the next who needs it. */
  connection<Opened>(
    key: string,
    open: () => Promise<Opened>,
    close?: (opened: Opened) => unknown,
  ): Promise<Opened> {
    const known = this.#connections.get(key) as Promise<Opened> | undefined;
    if (known) return known;
    const opening = open();
    this.#connections.set(key, opening);
    opening.then(
      (opened) => {
        if (close) this.#closing.push(() => close(opened));
      },
      () => this.#connections.delete(key),
    );
    return opening;
  }

  /** Closes the connections, and forgets the values. What cannot be closed is left to the end of the process. */
  async close(): Promise<void> {
    this.#results.clear();
    this.#connections.clear();
    await Promise.allSettled(this.#closing.splice(0).map(async (close) => close()));
  }

  /** At most eight at a time: a vault that limits its clients must not refuse us for a project with many secrets. */
  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
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
