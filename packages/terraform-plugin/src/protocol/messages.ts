import { escapeRunnerCommands } from "../server/runner-commands.js";
import {
  bool,
  bytes,
  enumeration,
  int64,
  lazy,
  type Message,
  type MessageFields,
  message,
  optional,
  repeated,
  string,
  type WrittenFields,
} from "./protobuf.js";

/*
 * Messages of plugin protocol 6, with the field numbers of version 6.11 but names chosen for this package. Unset fields
 * are not sent, and unknown fields are skipped. Omits fields for unused features: nested blocks (replaced by nested
 * attributes), deferrals, the legacy type system, ephemeral resources and state stores.
 */

/** Value in MessagePack. Empty means null. The protocol also allows JSON, which Terraform never sends. */
export const DynamicValue = message({ msgpack: [1, bytes] });

export const AttributePath = message({
  steps: [
    1,
    repeated(
      // Exactly one of the fields is set.
      message({
        attributeName: [1, optional(string)],
        elementKeyString: [2, optional(string)],
        elementKeyInt: [3, optional(int64)],
      }),
    ),
  ],
});

/** String that Terraform prints. Escapes commands for CI runners. */
export const printedString: typeof string = {
  ...string,
  write: (writer, number, text) => string.write(writer, number, escapeRunnerCommands(text)),
};

export const Diagnostic = message({
  severity: [1, enumeration("invalid", "error", "warning")],
  summary: [2, printedString],
  detail: [3, printedString],
  attribute: [4, AttributePath],
});

export const RawState = message({ json: [1, bytes] });

export const ServerCapabilities = message({
  planDestroy: [1, bool],
  getProviderSchemaOptional: [2, bool],
});

export const ClientCapabilities = message({ writeOnlyAttributesAllowed: [2, bool] });

const stringKind = enumeration("plain", "markdown");

const attributeFacts = {
  name: [1, string],
  /** Type as JSON. Empty if the attribute has a `nestedType`. */
  type: [2, bytes],
  description: [3, string],
  required: [4, bool],
  optional: [5, bool],
  computed: [6, bool],
  sensitive: [7, bool],
  descriptionKind: [8, stringKind],
  writeOnly: [11, bool],
} as const satisfies MessageFields;

const nesting = { nesting: [3, enumeration("invalid", "single", "list")] } as const satisfies MessageFields;

/** A schema attribute. Only written, never read. */
export interface SchemaAttributeDraft extends WrittenFields<typeof attributeFacts> {
  readonly nestedType?: SchemaObjectDraft | undefined;
}
interface SchemaObjectDraft extends WrittenFields<typeof nesting> {
  readonly attributes?: readonly SchemaAttributeDraft[] | undefined;
}

const SchemaObject: Message<unknown, SchemaObjectDraft> = message({
  attributes: [1, repeated(lazy(() => SchemaAttribute))],
  ...nesting,
});

const SchemaAttribute: Message<unknown, SchemaAttributeDraft> = message({
  ...attributeFacts,
  nestedType: [10, SchemaObject],
});

export const Schema = message({
  version: [1, int64],
  block: [
    2,
    message({
      attributes: [2, repeated(SchemaAttribute)],
      description: [4, string],
      descriptionKind: [5, stringKind],
    }),
  ],
});

/** A resource's identity attributes, each with its type as JSON. */
export const IdentitySchema = message({
  attributes: [
    2,
    repeated(
      message({
        name: [1, string],
        type: [2, bytes],
        requiredForImport: [3, bool],
        description: [5, string],
      }),
    ),
  ],
});

/** Values of the identity attributes for one object. */
export const Identity = message({ data: [1, DynamicValue] });
