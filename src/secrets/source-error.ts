/** Why a value could not be had. */
export type SourceProblem =
  | "not-set"
  | "empty"
  | "not-found"
  | "outside-project"
  | "unreadable"
  | "failed"
  | "timed-out"
  | "too-long"
  | "cancelled";

/**
 * A value could not be taken from its source. The message names the source and what to do; it holds neither the
 * value nor anything a command printed, which may be the value.
 */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly code: SourceProblem;
  /** As `describe` puts it. */
  readonly source: string;

  constructor(code: SourceProblem, source: string, message: string) {
    super(message);
    this.code = code;
    this.source = source;
  }
}
