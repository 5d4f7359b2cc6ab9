/** An avatar, to be referred to. */
export interface IAvatar {
  readonly id: string;
}

/** A voice, to be referred to. */
export interface IVoice {
  readonly id: string;
}

/** A context, to be referred to. */
export interface IContext {
  readonly id: string;
}

/** The id of something referred to by object, or by its id itself. */
export function idOf(reference: string | { readonly id: string }): string {
  return typeof reference === "string" ? reference : reference.id;
}
