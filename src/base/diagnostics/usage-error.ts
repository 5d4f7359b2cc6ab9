/** The request cannot be carried out. The message contains what to do instead. */
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
  /** The file that cannot be used. */
  readonly file?: string;
}
