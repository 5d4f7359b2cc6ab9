/** The commands that are recommended in output, so that each is spelled in one place. */
export const commands = {
  /** Takes the object with that id under management. */
  adopt: (address: string, id: string) => `avatarops import ${address} ${id}`,
  /** Makes another object although some have its name. */
  createAnyway: (address: string) => `avatarops apply --accept-duplicate ${address}`,
  /** Writes the live values back into the files. */
  pull: (address: string) => `avatarops pull ${address}`,
  /** Writes over edits made elsewhere. */
  overwrite: "avatarops apply --overwrite-drift",
  plan: "avatarops plan",
  /** Lists what the account holds and no file declares. */
  undeclared: "avatarops plan --undeclared",
  /** Writes the definition of an object into the files. */
  declare: (kind: string, id: string) => `avatarops import --write ${kind}.NAME ${id}`,
} as const;
