/** Describes a Terraform provider as plain values and serves it over plugin protocol 6. */

/** Schema attributes and their value types. */
export type { Attribute, AttributeProblem, Attributes } from "./attribute.js";
/** Errors and warnings for the user, with their location in the configuration. */
export type { Diagnostic, Diagnostics, Path } from "./diagnostic.js";
/** Protocol calls and responses, for hand-written servers. */
export type { NewProviderServer, ProviderServer } from "./protocol/rpcs.js";
/** Types for defining a provider. */
export type {
  Action,
  ClientCall,
  ConfigCall,
  CreateCall,
  DataSource,
  DeleteCall,
  ListResource,
  Log,
  NewState,
  PlanCall,
  PlanModification,
  PrivateState,
  Provider,
  ReadCall,
  Resource,
  StateUpgrader,
  UpdateCall,
} from "./provider.js";
/** Creates a server that responds to protocol calls for a provider. */
export { createProviderServer } from "./rpc/provider-server.js";
/** Encodes the schema responses at build time, for `servePlugin`. */
export { encodeSchemas } from "./schema/encode-schema.js";
/** Output of `terraform providers schema -json` for a provider. */
export { toSchemaJson } from "./schema/schema-json.js";
/** Serves a provider in a process that Terraform did not start, such as a test or a debugger session. */
export { type DebugServer, serveDebug, startDebugServer } from "./server/debug-server.js";
/**
 * Main program of a provider. Serves the provider to the Terraform process that started this process, and loads it on
 * first use.
 */
export { servePlugin } from "./server/serve-plugin.js";
/** The types and values of the configuration language. */
export type { ValueRecord } from "./values/shape.js";
export { type Type, Unknown, type Value } from "./values/value.js";
