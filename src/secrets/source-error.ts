import { describe } from "./describe.js";
import type { ValueSource } from "./source.js";

/** Why a source gave no value, for programs. */
export type SourceErrorCode =
  | "not-set" // the environment variable does not exist
  | "empty" // it is there and holds nothing
  | "not-found" // no such file, no such program
  | "outside-project" // the file is not inside the project folder
  | "unreadable" // not a file, not permitted, or not text
  | "failed" // the command ended with an exit code other than 0, or could not be run
  | "timed-out"
  | "too-long"
  | "cancelled";

/**
 * A secret's source gave no value. Neither the message nor any property holds a value, or what a command printed:
 * programs print secrets on stderr, too. The system's error is no `cause`, as it lists a command's arguments.
 */
export class SourceError extends Error {
  readonly code: SourceErrorCode;
  /** As `describe` puts it, e.g. `environment variable LLM_API_KEY`. */
  readonly source: string;

  /** `problem` goes on after the description: "… is not set. Set it …". */
  constructor(code: SourceErrorCode, source: ValueSource, problem: string) {
    const description = describe(source);
    super(`The ${description} ${problem}`);
    this.name = "SourceError";
    this.code = code;
    this.source = description;
  }
}
