/** Reason why a source has no value, for programs. */
export type SourceErrorCode =
  | "not-set" // the environment variable does not exist
  | "empty" // it exists and is empty
  | "not-a-value" // a word for no value, a mask, an unreplaced variable, ciphertext or control characters
  | "not-found" // no such file, no such program, no such secret in the vault
  | "outside-project" // the file is not inside the project folder
  | "unreadable" // not a file, not permitted, or not text
  | "failed" // the command exited with a code other than 0, or could not be run
  | "not-allowed" // the caller does not allow this source
  | "unreachable" // after several attempts: no response, or one that asks to retry later
  | "refused" // no right to read it, or no login
  | "missing-package" // its optional package is not installed
  | "malformed" // the response has another shape
  | "unknown-source" // no such kind of source
  | "timed-out"
  | "too-long"
  | "cancelled";

/**
 * A problem with a source, from code that does not know the source; the caller adds it. Contains no value, no part of a
 * response and no output of a command, because programs also print secrets on stderr. The system's error is not the
 * `cause`, because it lists a command's arguments.
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

/** A problem with a named source. */
export class SourceError extends SourceProblem {
  /** The kind's description, e.g. `environment variable LLM_API_KEY`. */
  readonly source: string;

  constructor(code: SourceErrorCode, source: string, problem: string) {
    super(code, problem, `The ${source} ${problem}`);
    this.name = "SourceError";
    this.source = source;
  }
}

const createProblemFactory = (code: SourceErrorCode) => (problem: string) => new SourceProblem(code, problem);

export const failed = createProblemFactory("failed");
export const malformed = createProblemFactory("malformed");
export const notAllowed = createProblemFactory("not-allowed");
export const notFound = createProblemFactory("not-found");
export const notSet = createProblemFactory("not-set");
export const outsideProject = createProblemFactory("outside-project");
export const refused = createProblemFactory("refused");
export const tooLong = createProblemFactory("too-long");
export const unreachable = createProblemFactory("unreachable");
export const unreadable = createProblemFactory("unreadable");

/** Finds an error of this class among the causes of another, because libraries wrap errors. */
export function findCause<Kind>(
  thrown: unknown,
  kind: abstract new (...given: never[]) => Kind,
  depth = 0,
): Kind | undefined {
  if (thrown instanceof kind) return thrown;
  return thrown instanceof Error && depth < 6 ? findCause(thrown.cause, kind, depth + 1) : undefined;
}
