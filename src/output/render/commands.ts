/** Commands that the output recommends. */
export const commands = {
  adopt: (address: string, id: string) => `avatarops import ${address} ${id}`,
  /** Returns the command that creates another object with the same name as an existing one. */
  createAnyway: (address: string) => `avatarops apply --accept-duplicate ${address}`,
  /** Returns the command that writes an object's dashboard edits into the files. */
  pull: (address: string) => `avatarops pull ${address}`,
  /** Command that writes all dashboard edits into the files. */
  pullAll: "avatarops pull",
  drift: "avatarops drift",
  /** Command that proposes dashboard edits in a pull request. */
  bringBack: "avatarops drift --pull-request",
  overwrite: "avatarops apply --overwrite-drift",
  plan: "avatarops plan",
  /** Returns the command that prints a composed text. */
  render: (address: string, field: string) =>
    `avatarops render ${address}${field === "prompt" ? "" : ` --field ${field}`}`,
  /** Command that writes all composed texts to a folder. */
  renderAll: "avatarops render --all --out FOLDER",
  /** Command that sends only rotated values. */
  sendRotated: "avatarops apply --only-rotations",
} as const;
