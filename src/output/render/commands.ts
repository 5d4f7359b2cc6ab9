/** The commands recommended in output, each spelled in one place. */
export const commands = {
  adopt: (address: string, id: string) => `avatarops import ${address} ${id}`,
  /** Creates another object although some have its name. */
  createAnyway: (address: string) => `avatarops apply --accept-duplicate ${address}`,
  /** Writes the live values back into the files. */
  pull: (address: string) => `avatarops pull ${address}`,
  /** Writes all edits made elsewhere back into the files. */
  pullAll: "avatarops pull",
  drift: "avatarops drift",
  /** Brings edits back in a pull request. */
  bringBack: "avatarops drift --pull-request",
  overwrite: "avatarops apply --overwrite-drift",
  plan: "avatarops plan",
  /** Sends rotated values, and nothing else. */
  sendRotated: "avatarops apply --only-rotations",
  /** Adds the declaration of an object to the files. */
} as const;
