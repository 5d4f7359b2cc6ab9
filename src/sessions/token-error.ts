/** Why there is no token. */
export type TokenProblem =
  /** The preset refers to objects that have no id yet. */
  | "unresolved-reference"
  /** Sandbox mode needs an avatar, and none is named. */
  | "no-avatar"
  /** The service's answer has no token. */
  | "no-token"
  /** The token in the answer has invalid characters. */
  | "unusable-token"
  /** An environment variable is not set, or the address of the service is unusable. */
  | "not-set"
  /** There is no file of presets, or it is none. */
  | "no-presets"
  /** The file has no such preset. */
  | "unknown-preset"
  /** A placeholder of the context has no value. */
  | "missing-variable"
  /** The files take a value from a source that an application does not read. */
  | "missing-value"
  /** The ids belong to another account. */
  | "other-service";

/** No token; the message says what to do next. Never contains a value of the service's answer. */
export class TokenError extends Error {
  override readonly name = "TokenError";
  readonly code: TokenProblem;
  /** The preset's key. */
  readonly preset: string;

  constructor(code: TokenProblem, preset: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.preset = preset;
  }
}
