import { inspect } from "node:util";

const mask = "(secret)";

/** A secret value that cannot be shown by accident: printed, joined or serialised it is a mask. */
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

  [inspect.custom](): string {
    return mask;
  }
}
