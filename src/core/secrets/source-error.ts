/** Why a source has no value, for programs. */
export type SourceErrorCode =
  | "not-set" // the environment variable does not exist
  | "empty" // it exists and is empty
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
 * A secret's source has no value. Neither the message nor any property contains a value, or anything of a response, or
 * what a command printed: programs print secrets on stderr, too. The system's error is not the `cause`, because it
 * lists a command's arguments.
 */
export class SourceError extends Error {
  readonly code: SourceErrorCode;
  /** In the words of its kind, e.g. `environment variable LLM_API_KEY`. */
  readonly source: string;
  /** What is wrong, without the source: continues it. */
  readonly problem: string;

  /** `problem` continues the description: "… is not set. Set it …". */
  constructor(code: SourceErrorCode, source: string, problem: string) {
    super(`The ${source} ${problem}`);
    this.name = "SourceError";
    this.code = code;
    this.source = source;
    this.problem = problem;
  }
}
