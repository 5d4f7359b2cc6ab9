/** What is wrong with a saved plan file. */
export type PlanFileProblem =
  | "not-a-plan"
  /** Written by a later version of avatarops. */
  | "newer-version"
  /** Its checksum does not fit its content. */
  | "edited"
  /** Its end is missing. */
  | "cut";

const sentences: Readonly<Record<PlanFileProblem, string>> = {
  "not-a-plan": "The file is not a saved plan: write one with `avatarops plan --out FILE`.",
  "newer-version":
    "The plan was saved by a newer version of avatarops: apply it with that version, or plan again with this one.",
  edited: "The saved plan was changed after it was written, so it will not be applied: plan again.",
  cut: "The saved plan is incomplete, its end is missing: copy the whole file, or plan again.",
};

/** A saved plan that cannot be used. */
export class PlanFileError extends Error {
  override readonly name = "PlanFileError";
  readonly code: PlanFileProblem;

  constructor(code: PlanFileProblem, options?: ErrorOptions) {
    super(sentences[code], options);
    this.code = code;
  }
}
