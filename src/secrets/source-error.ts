import { describe } from "./describe.js";
import type { ValueSource } from "./source.js";

/** Why a source has no value, for programs. */
export type SourceErrorCode =
  | "not-set" // the environment variable does not exist
  | "empty" // it exists and is empty
  | "not-found" // no such file, no such program
  | "outside-project" // the file is not inside the project folder
  | "unreadable" // not a file, not permitted, or not text
  | "failed" // the command ended with an exit code other than 0, or could not be run
  | "not-allowed" // the caller allows others only
  | "timed-out"
  | "too-long"
  | "cancelled";

/**
 * A secret's source has no value. Neither the message nor any property contains a value, or what a command
 * printed: programs print secrets on stderr, too. The system's error is not the `cause`, because it lists a
 * command's arguments.
 */
export class SourceError extends Error {
  readonly code: SourceErrorCode;
  /** In the words of `describe`, e.g. `environment variable LLM_API_KEY`. */
  readonly source: string;

  /** `problem` continues the description: "… is not set. Set it …". */
  constructor(code: SourceErrorCode, source: ValueSource, problem: string) {
    const description = describe(source);
    super(`The ${description} ${problem}`);
    this.name = "SourceError";
    this.code = code;
    this.source = description;
  }
}
