/** A Terraform provider as plain values, and what serves it over plugin protocol 6. */

/** Schemas: attributes, and the types of their values. */
export type { Attribute, AttributeProblem, Attributes } from "./attribute.js";
/** Errors and warnings for the user, with their place in the configuration. */
export type { Diagnostic, Diagnostics, Path } from "./diagnostic.js";
/** Calls and answers of the protocol, for those who write a server by hand. */
export type { NewProviderServer, ProviderServer } from "./protocol/rpcs.js";
/** The definitions a provider is made of. */
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
/** Answers the calls of the protocol for a provider. */
export { providerServer } from "./rpc/provider-server.js";
/** The answers to the questions for schemas in bytes, to be made at build time and given to `servePlugin`. */
export { schemaBytes } from "./schema/encode-schema.js";
/** What `terraform providers schema -json` prints for a provider. */
export { schemaJson } from "./schema/schema-json.js";
/** The main program of a provider: serves it to the process that started this one, and loads it when it is needed. */
export { servePlugin } from "./server/serve-plugin.js";
/** The types and values of the configuration language. */
export type { ValueRecord } from "./values/shape.js";
export { type Type, Unknown, type Value } from "./values/value.js";
