import type { Path } from "../diagnostic.js";

/** A rule of Terraform's that a response breaks, and where. */
export interface Violation {
  readonly path: Path;
  /** A sentence about the attribute, without any value. */
  readonly rule: string;
}
