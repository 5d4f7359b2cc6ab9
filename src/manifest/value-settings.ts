// Generated from the kinds' descriptors by `npm run generate`: edit those.

/** The settings of `service:` that add to the values of a field. */
export interface ValueSettings {
  /** Secret types the service knows beyond those of the document. */
  readonly secretTypes: readonly string[];
}
