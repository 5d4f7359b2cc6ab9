// Generated from the kinds' descriptors by `npm run generate`: edit those.

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

/** A secret, to be referred to. */
export interface ISecret {
  readonly id: string;
}

/** An LLM configuration, to be referred to. */
export interface ILlmConfiguration {
  readonly id: string;
}

/** The id of something that is referred to by object or by id. */
export function toId(reference: string | { readonly id: string }): string {
  return typeof reference === "string" ? reference : reference.id;
}
