/**
 * A type of the configuration language in the protocol's JSON form: `"string"`, `["list", "string"]`,
 * `["object", { "url": "string" }]`. Sets, tuples and dynamic values are left out, because no schema here has one.
 */
export type Type =
  | "string"
  | "number"
  | "bool"
  | readonly ["list" | "map", Type]
  | readonly ["object", { readonly [name: string]: Type }];

/**
 * A value that is known only after another change was applied. Its "refinements" (not null, begins with …) are dropped,
 * because a plan of plain unknown values is always valid.
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
