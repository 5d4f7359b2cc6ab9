/** The holder of a lock. */
export interface Holder {
  /** UUID of this hold. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  readonly bootId?: string;
  /**
   * When the process started, in a form of the system: distinguishes it from a later one with the same id.
   */
  readonly startedAt?: string;
  /** ISO 8601: when the lock was taken. */
  readonly since: string;
  /** E.g. `avatarops apply`. */
  readonly command: string;
}
