/** Why a source has no value, for programs. */
export type SourceErrorCode =
  | "not-set" // the environment variable does not exist
  | "empty" // it exists and is empty
  | "not-a-value" // a word for no value, a mask, a variable that was not replaced, ciphertext or control characters
  | "not-found" // no such file, no such program, no such secret in the vault
  | "outside-project" // the file is not inside the project folder
  | "unreadable" // not a file, not permitted, or not text
  | "failed" // the command ended with an exit code other than 0, or could not be run
  | "not-allowed" // the caller allows others only
  | "unreachable" // no response, or one that says to try again later: tried several times
  | "refused" // no right to read it, or no login
  | "missing-package" // the optional package that it needs is not installed
  | "malformed" // a response of another shape
  | "unknown-source" // no such kind of source
  | "timed-out"
  | "too-long"
  | "cancelled";

/**
 * Why a source has no value, from code that does not know which source it is: whoever asked for the value adds that.
 * Neither the message nor any property contains a value, or anything of a response, or what a command printed: programs
 * print secrets on stderr, too. The system's error is not the `cause`, because it lists a command's arguments.
 */
export class SourceProblem extends Error {
  readonly code: SourceErrorCode;
  /** Continues the description of the source: "is not set. Set it …". */
  readonly problem: string;

  constructor(code: SourceErrorCode, problem: string, message = problem) {
    super(message);
    this.name = "SourceProblem";
    this.code = code;
    this.problem = problem;
  }
}

/** A secret's source has no value. */
export class SourceError extends SourceProblem {
  /** In the words of its kind, e.g. `environment variable LLM_API_KEY`. */
  readonly source: string;

  constructor(code: SourceErrorCode, source: string, problem: string) {
    super(code, problem, `The ${source} ${problem}`);
    this.name = "SourceError";
    this.source = source;
  }
}

const problemWith = (code: SourceErrorCode) => (problem: string) => new SourceProblem(code, problem);

export const failed = problemWith("failed");
export const malformed = problemWith("malformed");
export const notAllowed = problemWith("not-allowed");
export const notFound = problemWith("not-found");
export const notSet = problemWith("not-set");
export const outsideProject = problemWith("outside-project");
export const refused = problemWith("refused");
export const tooLong = problemWith("too-long");
export const unreachable = problemWith("unreachable");
export const unreadable = problemWith("unreadable");

/** The error of this class among the causes of another: libraries wrap what they are thrown. */
export function findCause<Kind>(
  thrown: unknown,
  kind: abstract new (...given: never[]) => Kind,
  depth = 0,
): Kind | undefined {
  if (thrown instanceof kind) return thrown;
  return thrown instanceof Error && depth < 6 ? findCause(thrown.cause, kind, depth + 1) : undefined;
}
