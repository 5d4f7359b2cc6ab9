/** Who holds a lock. */
export interface Holder {
  /** UUID of this one holding. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  readonly bootId?: string;
  /** When the process began, in the system's own measure: tells it from a later one with the same number. */
  readonly startedAt?: string;
  /** ISO 8601: since when the lock is held. */
  readonly since: string;
  /** E.g. `avatarops apply`. */
  readonly command: string;
}
