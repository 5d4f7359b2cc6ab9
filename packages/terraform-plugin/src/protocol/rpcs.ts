import type { Log } from "../provider.js";
import {
  AttributePath,
  ClientCapabilities,
  Diagnostic,
  DynamicValue,
  Identity,
  IdentitySchema,
  printedString,
  RawState,
  Schema,
  ServerCapabilities,
} from "./messages.js";
import {
  bool,
  bytes,
  int64,
  type MessageInput,
  type MessageOf,
  map,
  message,
  repeated,
  string,
} from "./protobuf.js";

const diagnostics = repeated(Diagnostic);

/**
 * Protocol 6 calls. The calls for functions, ephemeral resources, state stores and moves between types are left out,
 * because Terraform accepts "unimplemented" as their response.
 */
export const rpcs = {
  GetProviderSchema: {
    request: message({}),
    response: message({
      provider: [1, Schema],
      resourceSchemas: [2, map(Schema)],
      dataSourceSchemas: [3, map(Schema)],
      diagnostics: [4, diagnostics],
      serverCapabilities: [6, ServerCapabilities],
      listResourceSchemas: [9, map(Schema)],
      actionSchemas: [11, map(message({ schema: [1, Schema] }))],
    }),
  },
  GetResourceIdentitySchemas: {
    request: message({}),
    response: message({ identitySchemas: [1, map(IdentitySchema)], diagnostics: [2, diagnostics] }),
  },

  ValidateProviderConfig: {
    request: message({ config: [1, DynamicValue] }),
    response: message({ diagnostics: [2, diagnostics] }),
  },
  ConfigureProvider: {
    request: message({
      config: [2, DynamicValue],
    }),
    response: message({ diagnostics: [1, diagnostics] }),
  },
  StopProvider: {
    request: message({}),
    response: message({}),
  },

  ValidateResourceConfig: {
    request: message({
      typeName: [1, string],
      config: [2, DynamicValue],
      clientCapabilities: [3, ClientCapabilities],
    }),
    response: message({ diagnostics: [1, diagnostics] }),
  },
  UpgradeResourceState: {
    request: message({ typeName: [1, string], version: [2, int64], rawState: [3, RawState] }),
    response: message({ upgradedState: [1, DynamicValue], diagnostics: [2, diagnostics] }),
  },
  UpgradeResourceIdentity: {
    request: message({ typeName: [1, string], version: [2, int64], rawIdentity: [3, RawState] }),
    response: message({ upgradedIdentity: [1, Identity], diagnostics: [2, diagnostics] }),
  },
  ReadResource: {
    request: message({
      typeName: [1, string],
      currentState: [2, DynamicValue],
      private: [3, bytes],
    }),
    response: message({
      newState: [1, DynamicValue],
      diagnostics: [2, diagnostics],
      private: [3, bytes],
      newIdentity: [5, Identity],
    }),
  },
  PlanResourceChange: {
    request: message({
      typeName: [1, string],
      priorState: [2, DynamicValue],
      config: [4, DynamicValue],
      priorPrivate: [5, bytes],
    }),
    response: message({
      plannedState: [1, DynamicValue],
      requiresReplace: [2, repeated(AttributePath)],
      plannedPrivate: [3, bytes],
      diagnostics: [4, diagnostics],
      plannedIdentity: [7, Identity],
    }),
  },
  ApplyResourceChange: {
    request: message({
      typeName: [1, string],
      priorState: [2, DynamicValue],
      plannedState: [3, DynamicValue],
      config: [4, DynamicValue],
      plannedPrivate: [5, bytes],
    }),
    response: message({
      newState: [1, DynamicValue],
      private: [2, bytes],
      diagnostics: [3, diagnostics],
      newIdentity: [5, Identity],
    }),
  },
  ImportResourceState: {
    request: message({
      typeName: [1, string],
      id: [2, string],
      identity: [4, Identity],
    }),
    response: message({
      importedResources: [
        1,
        repeated(
          message({
            typeName: [1, string],
            state: [2, DynamicValue],
            private: [3, bytes],
            identity: [4, Identity],
          }),
        ),
      ],
      diagnostics: [2, diagnostics],
    }),
  },
  ValidateDataResourceConfig: {
    request: message({ typeName: [1, string], config: [2, DynamicValue] }),
    response: message({ diagnostics: [1, diagnostics] }),
  },
  ReadDataSource: {
    request: message({
      typeName: [1, string],
      config: [2, DynamicValue],
    }),
    response: message({ state: [1, DynamicValue], diagnostics: [2, diagnostics] }),
  },

  ValidateListResourceConfig: {
    request: message({}),
    response: message({ diagnostics: [1, diagnostics] }),
  },
  /** Stream with one object per response. The last response may contain only diagnostics. */
  ListResource: {
    request: message({
      typeName: [1, string],
      includeResourceObject: [3, bool],
      limit: [4, int64],
    }),
    response: message({
      identity: [1, Identity],
      displayName: [2, printedString],
      resourceObject: [3, DynamicValue],
      diagnostics: [4, diagnostics],
    }),
  },

  ValidateActionConfig: {
    request: message({ typeName: [1, string], config: [2, DynamicValue] }),
    response: message({ diagnostics: [1, diagnostics] }),
  },
  PlanAction: {
    request: message({
      typeName: [1, string],
      config: [2, DynamicValue],
    }),
    response: message({ diagnostics: [1, diagnostics] }),
  },
  /** Stream of `progress` responses, followed by one `completed` response. */
  InvokeAction: {
    request: message({
      typeName: [1, string],
      config: [2, DynamicValue],
    }),
    response: message({
      progress: [1, message({ message: [1, printedString] })],
      completed: [2, message({ diagnostics: [1, diagnostics] })],
    }),
  },
};

export type RpcName = keyof typeof rpcs;
export type RpcRequest<Name extends RpcName> = MessageOf<(typeof rpcs)[Name]["request"]>;
export type RpcResponse<Name extends RpcName> = MessageInput<(typeof rpcs)[Name]["response"]>;

/**
 * Handlers for a provider's calls. User errors are reported as diagnostics, so a thrown value is a bug. A handler with
 * several responses passes all but the last to `send`, and returns the last one, or undefined if all were sent.
 */
export type Rpcs = {
  readonly [Name in RpcName]: (
    request: RpcRequest<Name>,
    send: (response: RpcResponse<Name>) => void,
  ) => Promise<RpcResponse<Name> | undefined>;
};

/** Server for one connection. Each provider block uses its own connection, even to the same process. */
export interface ProviderServer {
  readonly rpcs: Rpcs;
  /** Cancels running calls and releases the client. Called after Terraform has disconnected. */
  close(): Promise<void>;
}

/** Creates the server for one connection. The server writes to `log`. */
export type NewProviderServer = (connection: { readonly log: Log }) => ProviderServer;
