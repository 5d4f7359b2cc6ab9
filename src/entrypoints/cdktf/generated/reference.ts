// Generated from the kinds' descriptors by `npm run generate`: edit those.

/** A secret, to be referred to. */
export interface ISecret {
  readonly id: string;
}

/** The id of something that is referred to by object or by id. */
export function toId(reference: string | { readonly id: string }): string {
  return typeof reference === "string" ? reference : reference.id;
}
