const mask = "(secret)";

/** Key for `util.inspect`. Not imported from Node, because users' type checks would then need Node's types. */
const inspected: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** A secret value that cannot be shown by accident: printing, concatenating or serializing it shows a mask. */
export class Sealed {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value. Call this only where the value is sent (rule 6). */
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
