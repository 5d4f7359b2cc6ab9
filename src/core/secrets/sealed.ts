const mask = "(secret)";

/** The key that `util.inspect` uses. If it were imported from Node, every user's type check would need Node's types. */
const inspected: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** A secret value that cannot be shown by accident: printing, joining or serialising it gives a mask. */
export class Sealed {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself: only for the call that sends it (rule 6). */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspected](): string {
    return mask;
  }
}
