/** Reads and writes one object safely. Shared by the command and the Terraform provider. */

export * from "./delete-superseded.js";
export * from "./find-references.js";
export * from "./fingerprints.js";
export type * from "./mismatch.js";
export * from "./observe-by-id.js";
export * from "./read-current.js";
export * from "./recognize-lost-create.js";
export * from "./session-token.js";
export * from "./stopwatch.js";
export * from "./with-value.js";
export type * from "./write-context.js";
export * from "./write-object.js";
export type * from "./write-result.js";
