/** Terraform's plugin protocol 6: a provider as plain values, served to the core that started it. */
export type {
  Attribute,
  Attributes,
  Complaint,
  Known,
  NestedAttribute,
  Partly,
  PlainAttribute,
} from "./attribute.js";
export { type DebugServer, debug, startDebugServer } from "./debug-server.js";
export type { Diagnostic, Path, Report } from "./diagnostic.js";
export { hostOf, type PluginHost } from "./host.js";
export { instanceOf } from "./instance.js";
export {
  type Call,
  type ClientCall,
  type DataSource,
  type Definitions,
  definitionsFor,
  type EphemeralResource,
  FunctionError,
  type Log,
  type Opened,
  type Parameter,
  type Planned,
  type PluginFunction,
  type Private,
  type Provider,
  type Resource,
  type Saved,
} from "./provider.js";
export type { Instance, NewInstance, Rpcs } from "./rpc.js";
export { schemaProblems } from "./schema-check.js";
export { schemaJson } from "./schema-json.js";
export { serve } from "./serve.js";
export type { Type } from "./type.js";
export { Decimal, Dynamic, type NumberValue, Unknown, type Value } from "./value.js";
