import type { Type } from "./type.js";

/**
 * A value that is known only after something else was applied. What is known about it already (its "refinements":
 * not null, begins with …) is dropped: a plan made of plain unknowns is always allowed.
 */
export const Unknown: unique symbol = Symbol("known after apply");
export type Unknown = typeof Unknown;

/**
 * A number that neither a double nor a bigint holds without loss, as decimal text: `0.1234567890123456789`. Terraform
 * counts with 512 bits, so that a number once rounded would be a difference in every plan.
 */
export class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Integers beyond 2^53 are bigints. A double stands for its shortest decimal text, as a reader of the code expects: 0.1
 * is a tenth. What is neither is a {@link Decimal}.
 */
export type NumberValue = number | bigint | Decimal;

/** A value of type "dynamic", with the type it has. */
export class Dynamic {
  readonly type: Type;
  readonly value: Value;

  constructor(type: Type, value: Value) {
    this.type = type;
    this.value = value;
  }
}

/** Any value. Lists, sets and tuples are arrays; objects and maps are records without a prototype. */
export type Value =
  | null
  | Unknown
  | string
  | boolean
  | NumberValue
  | Dynamic
  | readonly Value[]
  | { readonly [name: string]: Value };
