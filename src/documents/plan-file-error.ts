/** What is wrong with a saved plan file. */
export type PlanFileProblem =
  | "not-a-plan"
  /** Written by a later version of avatarops. */
  | "newer-version"
  /** Its checksum does not match its content. */
  | "edited"
  /** Its end is missing. */
  | "cut";

const sentences: Readonly<Record<PlanFileProblem, string>> = {
  "not-a-plan": "The file is not a saved plan: write one with `avatarops plan --out FILE`.",
  "newer-version":
    "A newer version of avatarops saved the plan: apply it with that version, or plan again with this one.",
  edited: "The saved plan was changed after it was written, so it cannot be applied: plan again.",
  cut: "The saved plan is incomplete: copy the whole file, or plan again.",
};

/** The saved plan cannot be used. */
export class PlanFileError extends Error {
  override readonly name = "PlanFileError";
  readonly code: PlanFileProblem;

  constructor(code: PlanFileProblem, options?: ErrorOptions) {
    super(sentences[code], options);
    this.code = code;
  }
}
