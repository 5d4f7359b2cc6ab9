import type { Attributes } from "./attribute.js";
import type { Diagnostic, Diagnostics } from "./diagnostic.js";
import type { ValueRecord } from "./values/shape.js";

/* Provider definitions as plain values. */

/** Context for every call. */
export interface Call {
  readonly diagnostics: Diagnostics;
  /** Signal that aborts when the user stops Terraform (Ctrl-C) or Terraform disconnects. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Writes to Terraform's own log, which TF_LOG shows. Never pass it a secret. */
export type Log = (
  level: "trace" | "debug" | "info" | "warn" | "error",
  message: string,
  facts?: { readonly [name: string]: string | number | boolean },
) => void;

/** Call with a configuration. During validation and planning, any value in it may be unknown, at any depth. */
export interface ConfigCall extends Call {
  readonly config: ValueRecord;
}

/** Call to a configured provider. */
export interface ClientCall<Client> extends Call {
  readonly client: Client;
}

/** JSON data that a provider stores with an object's state. Users cannot see or reference the data. */
export type PrivateState = { readonly [name: string]: unknown };

/** Object for the state. If `private` is omitted, the earlier data is kept. */
export interface NewState {
  readonly state: ValueRecord;
  readonly private?: PrivateState;
}

/** Refined plan. Omitted parts stay as the framework planned them. */
export interface PlanModification {
  readonly planned?: ValueRecord;
  /** Data to keep for the apply. */
  readonly private?: PrivateState;
}

/** Upgrades a stored state to the next schema version. The stored state may have any attributes. */
export type StateUpgrader = (state: ValueRecord) => ValueRecord;

/** Input for refining a plan. `prior` is null for a new object, and `planned` is null for an object to delete. */
export interface PlanCall<Client> extends ClientCall<Client>, ConfigCall {
  readonly prior: ValueRecord | null;
  readonly planned: ValueRecord | null;
  readonly private: PrivateState;
}

export interface CreateCall<Client> extends ClientCall<Client>, ConfigCall {
  readonly planned: ValueRecord;
  readonly private: PrivateState;
}

export interface UpdateCall<Client> extends CreateCall<Client> {
  readonly prior: ValueRecord;
}

export interface ReadCall<Client> extends ClientCall<Client> {
  readonly state: ValueRecord;
  readonly private: PrivateState;
}

export interface DeleteCall<Client> extends ClientCall<Client> {
  readonly prior: ValueRecord;
  readonly private: PrivateState;
}

/**
 * Managed resource. `Client` is the result of the provider's `configure`. The attribute `id` identifies an object
 * within its type, and is also the resource identity that Terraform and OpenTofu (1.12 or later) store and use for
 * imports.
 */
export interface Resource<Client> {
  readonly description: string;
  readonly attributes: Attributes;
  /**
   * Upgraders for stored states. Each upgrades from the schema version at its index to the next version. Add one for
   * each change that is incompatible with older states, but not for added or removed attributes.
   */
  readonly stateUpgraders?: readonly StateUpgrader[];
  /** Checks several attributes together. Called before the provider is configured. */
  validate?(call: ConfigCall): void | Promise<void>;
  /** Returns the computed attributes that the user has removed from the configuration. Their planned value is null. */
  unset?(call: { readonly config: ValueRecord; readonly private: PrivateState }): readonly string[];
  /** Refines the framework's plan. Parts that the result omits stay unchanged. */
  modifyPlan?(call: PlanCall<Client>): Promise<PlanModification | undefined>;
  /**
   * Creates an object. If no object was created, reports an error and returns null. If the call reports an error and
   * returns a state, Terraform records the object as tainted.
   */
  create(call: CreateCall<Client>): Promise<NewState | null>;
  /**
   * Reads an object, or returns null if it is gone. After an import, `state` contains only the attributes that
   * `importState` set. All others are null.
   */
  read(call: ReadCall<Client>): Promise<NewState | null>;
  /** Changes an object in place. If the call reports an error and returns null, the earlier state is kept. */
  update(call: UpdateCall<Client>): Promise<NewState | null>;
  delete(call: DeleteCall<Client>): Promise<void>;
  /**
   * Returns the attributes that are known from an object's id, or null if no object has this id. Terraform calls `read`
   * next.
   */
  importState(call: ClientCall<Client> & { readonly id: string }): Promise<ValueRecord | null>;
}

/** Data source. Reads objects that are managed elsewhere. */
export interface DataSource<Client> {
  readonly description: string;
  readonly attributes: Attributes;
  validate?(call: ConfigCall): void | Promise<void>;
  /** Returns the configuration with the computed attributes. */
  read(call: ClientCall<Client> & ConfigCall): Promise<ValueRecord | null>;
}

/** Lists objects for `terraform query` (1.14 or later). Has the same name as the resource. */
export interface ListResource<Client> {
  readonly description: string;
  /** Lists up to `limit` objects, in any order. */
  list(
    call: ClientCall<Client> & {
      readonly limit: number;
      /** Whether to return each object's full state, not only its id. */
      readonly isWhole: boolean;
    },
  ): AsyncIterable<ListedResource>;
}

/** An object found by a list resource. */
export interface ListedResource {
  /** Name shown to the user. */
  readonly displayName: string;
  /** State by attribute name. */
  readonly state: ValueRecord;
}

/** Action, which has no state. Terraform 1.14 or later runs it on a resource event or for `-invoke`. */
export interface Action<Client> {
  readonly description: string;
  readonly attributes: Attributes;
  validate?(call: ConfigCall): void | Promise<void>;
  /** Runs the action. `progress` shows a line to the user. The apply fails if an error is reported or thrown. */
  invoke(call: ClientCall<Client> & ConfigCall & { progress(message: string): void }): Promise<void>;
}

/** Provider. `Client` is the result of `configure`, passed to every resource. */
export interface Provider<Client> {
  /** Prefix of all type names, such as "example". */
  readonly name: string;
  readonly description: string;
  readonly attributes: Attributes;
  /** Checks several attributes of the provider block together. Called before the provider is configured. */
  validate?(call: ConfigCall): void | Promise<void>;
  /** Creates a provider block's client. Values may be unknown in a plan. */
  configure(call: ConfigCall): Promise<Client | null>;
  /** Releases the client when Terraform disconnects. */
  close?(client: Client): Promise<void>;
  /** Explains an error to the user. Returns undefined for a bug, which is reported with its stack. */
  explain(error: unknown): Diagnostic | undefined;
  /** Resources by full name, such as "example_thing". */
  readonly resources: { readonly [type: string]: Resource<Client> };
  readonly dataSources: { readonly [type: string]: DataSource<Client> };
  readonly listResources: { readonly [type: string]: ListResource<Client> };
  readonly actions: { readonly [type: string]: Action<Client> };
}
