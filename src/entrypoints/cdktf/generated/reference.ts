// Generated from the kinds' descriptors by `npm run generate`: edit those.

/** A secret that others can refer to. */
export interface ISecret {
  readonly id: string;
}

/** Returns the id of a reference by object or by id. */
export function toId(reference: string | { readonly id: string }): string {
  return typeof reference === "string" ? reference : reference.id;
}
