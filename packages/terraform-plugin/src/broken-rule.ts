import type { Path } from "./diagnostic.js";

/** A rule that an answer breaks, and the attribute where. */
export interface BrokenRule {
  readonly path: Path;
  /** A sentence about the attribute, without any value. */
  readonly rule: string;
}
