/**
 * Type of the configuration language in the protocol's JSON form, such as `"string"`, `["list", "string"]` or
 * `["object", { "url": "string" }]`. Sets, tuples and dynamic values are not supported, because no schema uses them.
 */
export type Type =
  | "string"
  | "number"
  | "bool"
  | readonly ["list" | "map", Type]
  | readonly ["object", { readonly [name: string]: Type }];

/**
 * Value that is known only after another change has been applied. Its "refinements" (not null, begins with …) are
 * dropped, because a plan of plain unknown values is always valid.
 */
export const Unknown: unique symbol = Symbol("known after apply");
export type Unknown = typeof Unknown;

/** Any value. Lists are arrays, and objects and maps are records. */
export type Value =
  | null
  | Unknown
  | string
  | boolean
  | number
  | readonly Value[]
  | { readonly [name: string]: Value };
