/** Why a source has no value. */
export type SourceErrorCode =
  | "not-set" // the environment variable does not exist
  | "empty" // the value exists but is empty
  | "not-a-value" // a placeholder, mask, unresolved reference or variable, ciphertext or control characters
  | "not-found" // no such file, field or secret
  | "outside-project" // the file is not inside the project folder
  | "unreadable" // not a file, not permitted, or not text
  | "failed" // the command exited with a code other than 0, or could not be run
  | "not-allowed" // the caller does not allow this source
  | "unreachable" // several attempts got no response, or were asked to retry later
  | "refused" // no permission to read the value, or no login
  | "missing-package" // the optional package for the source is not installed
  | "missing-program" // the program is not installed on this machine
  | "malformed" // the response has an unexpected format
  | "unknown-source" // no source has this name
  | "timed-out"
  | "too-long"
  | "cancelled";

/**
 * Problem with a source, whose name the caller adds. Contains no values, responses or command output, because programs
 * also print secrets on stderr, and no system error, because it would list a command's arguments.
 */
export class SourceProblem extends Error {
  readonly code: SourceErrorCode;
  /** Continuation of the source's description: "is not set. Set it …". */
  readonly problem: string;

  constructor(code: SourceErrorCode, problem: string, message = problem) {
    super(message);
    this.name = "SourceProblem";
    this.code = code;
    this.problem = problem;
  }
}

/** Problem whose message begins with the description of the source. */
export class SourceError extends SourceProblem {
  /** Source description, such as `environment variable LLM_API_KEY`. */
  readonly source: string;

  constructor(code: SourceErrorCode, source: string, problem: string) {
    super(code, problem, `The ${source} ${problem}`);
    this.name = "SourceError";
    this.source = source;
  }
}

/** Finds an error of this class among an error's causes, because libraries wrap errors. */
export function findCause<Kind>(
  thrown: unknown,
  kind: abstract new (...given: never[]) => Kind,
  depth = 0,
): Kind | undefined {
  if (thrown instanceof kind) return thrown;
  return thrown instanceof Error && depth < 6 ? findCause(thrown.cause, kind, depth + 1) : undefined;
}
