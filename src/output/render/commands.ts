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
  /** Prints a text of an object as it would be sent. */
  render: (address: string, field: string) =>
    `avatarops render ${address}${field === "prompt" ? "" : ` --field ${field}`}`,
  /** Writes all texts as they would be sent to a folder. */
  renderAll: "avatarops render --all --out FOLDER",
  /** Sends rotated values, and nothing else. */
  sendRotated: "avatarops apply --only-rotations",
  /** Adds the declaration of an object to the files. */
} as const;
