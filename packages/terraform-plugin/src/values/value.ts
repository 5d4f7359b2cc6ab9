/**
 * A type of the configuration language, spelled as the protocol spells it in JSON: `"string"`, `["list", "string"]`,
 * `["object", { "url": "string" }]`. Sets, tuples and dynamic values are left out: no schema here has one.
 */
export type Type =
  | "string"
  | "number"
  | "bool"
  | readonly ["list" | "map", Type]
  | readonly ["object", { readonly [name: string]: Type }];

/**
 * A value that is known only after something else was applied. What is known about it already (its "refinements":
 * not null, begins with …) is dropped: a plan made of plain unknowns is always allowed.
 */
export const Unknown: unique symbol = Symbol("known after apply");
export type Unknown = typeof Unknown;

/** Any value. Lists are arrays; objects and maps are records. */
export type Value =
  | null
  | Unknown
  | string
  | boolean
  | number
  | readonly Value[]
  | { readonly [name: string]: Value };
