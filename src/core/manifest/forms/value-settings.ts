// Generated from the kinds' descriptors by `npm run generate`: edit those.

/** The settings of `service:` that add to the values of a field. */
export interface ValueSettings {
  /** Secret types that the service knows besides the two documented ones. */
  readonly secretTypes: readonly string[];
}
