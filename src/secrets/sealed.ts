import { inspect } from "node:util";

const shown = "(secret)";

/** A secret value that is not printed by accident: every way of turning it into text but `reveal` gives "(secret)". */
export class Sealed {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value, for the call that sends it and nothing else (rule 6). */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}
