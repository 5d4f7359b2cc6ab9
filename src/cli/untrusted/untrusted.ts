import type { Declaration } from "../../manifest/index.js";

/** What the base of an untrusted change says. */
export interface Untrusted {
  /** The id of its commit. */
  readonly base: string;
  readonly declarations: readonly Declaration[];
  /** The text of a state in a file, "" if there is none. Absent: the state is elsewhere. */
  readonly state?: string;
}
