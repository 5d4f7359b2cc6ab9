/** Why there is no token. */
export type TokenProblem =
  /** The preset refers to objects that have no id yet. */
  | "unresolved-reference"
  /** Sandbox mode needs an avatar, and none is named. */
  | "no-avatar"
  /** The service's answer has no token. */
  | "no-token"
  /** The token in the answer has invalid characters. */
  | "unusable-token";

/** No token; the message says what to do next. Never contains a value of the service's answer. */
export class TokenError extends Error {
  override readonly name = "TokenError";
  readonly code: TokenProblem;
  /** The preset's key. */
  readonly preset: string;

  constructor(code: TokenProblem, preset: string, message: string) {
    super(message);
    this.code = code;
    this.preset = preset;
  }
}
