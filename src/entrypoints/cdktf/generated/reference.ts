// Generated from the kinds' descriptors by `npm run generate`: edit those.

/** A secret that other constructs can refer to. */
export interface ISecret {
  readonly id: string;
}

/** Returns the id of a referenced object, given the object or its id. */
export function toId(reference: string | { readonly id: string }): string {
  return typeof reference === "string" ? reference : reference.id;
}
