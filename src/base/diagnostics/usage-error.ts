/** Error for a user's request that cannot be carried out. The message includes an alternative or the next step. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code: string;

  /** `facts` are copied into the error document. */
  constructor(code: string, message: string, { cause, ...facts }: ErrorOptions & UsageFacts = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    Object.assign(this, facts);
  }
}

interface UsageFacts {
  /** Number of active sessions. */
  readonly sessions?: number;
  /** File that cannot be used. */
  readonly file?: string;
}
