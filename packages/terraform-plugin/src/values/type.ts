/**
 * A type of the configuration language, spelled as the protocol spells it in JSON: `"string"`, `["list", "string"]`,
 * `["object", { "url": "string" }]`.
 */
export type Type =
  | "string"
  | "number"
  | "bool"
  | "dynamic"
  | readonly ["list" | "set" | "map", Type]
  | readonly ["tuple", readonly Type[]]
  | readonly ["object", { readonly [name: string]: Type }];
