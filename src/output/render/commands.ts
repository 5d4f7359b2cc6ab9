/** Commands recommended in output. */
export const commands = {
  adopt: (address: string, id: string) => `avatarops import ${address} ${id}`,
  /** Creates another object with a name that is already used. */
  createAnyway: (address: string) => `avatarops apply --accept-duplicate ${address}`,
  /** Writes live values into the files. */
  pull: (address: string) => `avatarops pull ${address}`,
  /** Writes all dashboard edits into the files. */
  pullAll: "avatarops pull",
  drift: "avatarops drift",
  /** Proposes dashboard edits in a pull request. */
  bringBack: "avatarops drift --pull-request",
  overwrite: "avatarops apply --overwrite-drift",
  plan: "avatarops plan",
  /** Prints a composed text. */
  render: (address: string, field: string) =>
    `avatarops render ${address}${field === "prompt" ? "" : ` --field ${field}`}`,
  /** Writes all composed texts to a folder. */
  renderAll: "avatarops render --all --out FOLDER",
  /** Sends only rotated values. */
  sendRotated: "avatarops apply --only-rotations",
} as const;
