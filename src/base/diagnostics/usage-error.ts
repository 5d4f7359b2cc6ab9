/** What was asked for cannot be done; the message says what to do instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code: string;

  /** `facts`: what else documents tell of it. */
  constructor(code: string, message: string, { cause, ...facts }: ErrorOptions & UsageFacts = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    Object.assign(this, facts);
  }
}

interface UsageFacts {
  /** How many are active. */
  readonly sessions?: number;
  /** The file that cannot be used. */
  readonly file?: string;
}
