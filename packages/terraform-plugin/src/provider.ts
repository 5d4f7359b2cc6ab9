import type { Attributes } from "./attribute.js";
import type { Diagnostic, Diagnostics } from "./diagnostic.js";
import type { ValueRecord } from "./values/shape.js";

/*
 * The definitions of a provider as plain values.
 */

/** Context of every call. */
export interface Call {
  readonly diagnostics: Diagnostics;
  /** Aborted when the user stops Terraform (Ctrl-C) or Terraform disconnects. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Writes to Terraform's own log, which TF_LOG shows. Never pass it a secret. */
export type Log = (
  level: "trace" | "debug" | "info" | "warn" | "error",
  message: string,
  facts?: { readonly [name: string]: string | number | boolean },
) => void;

/** A call with a configuration. During validation and planning, any value in it may be unknown, at any depth. */
export interface ConfigCall extends Call {
  readonly config: ValueRecord;
}

/** A call of a configured provider. */
export interface ClientCall<Client> extends Call {
  readonly client: Client;
}

/** JSON data that a provider stores with an object's state. It is neither shown nor available to references. */
export type PrivateState = { readonly [name: string]: unknown };

/** An object for the state. Without `private`, the earlier data are kept. */
export interface NewState {
  readonly state: ValueRecord;
  readonly private?: PrivateState;
}

/** A refined plan. Omitted parts stay as the framework planned them. */
export interface PlanModification {
  readonly planned?: ValueRecord;
  /** Kept for the apply. */
  readonly private?: PrivateState;
}

/** Upgrades a stored state, which may have any attributes, to the next schema version. */
export type StateUpgrader = (state: ValueRecord) => ValueRecord;

/** The input of a plan's refinement. `prior` is null for a new object, `planned` for one to be deleted. */
export interface PlanCall<Client> extends ClientCall<Client>, ConfigCall {
  readonly prior: ValueRecord | null;
  readonly planned: ValueRecord | null;
  readonly private: PrivateState;
}

/** The input of a create. */
export interface CreateCall<Client> extends ClientCall<Client>, ConfigCall {
  readonly planned: ValueRecord;
  readonly private: PrivateState;
}

/** The input of an update. */
export interface UpdateCall<Client> extends CreateCall<Client> {
  readonly prior: ValueRecord;
}

/** The input of a read. */
export interface ReadCall<Client> extends ClientCall<Client> {
  readonly state: ValueRecord;
  readonly private: PrivateState;
}

/** The input of a delete. */
export interface DeleteCall<Client> extends ClientCall<Client> {
  readonly prior: ValueRecord;
  readonly private: PrivateState;
}

/**
 * A managed resource. `Client` is the result of the provider's `configure`. The attribute `id` identifies an object among
 * those of its type: Terraform and OpenTofu from 1.12 store it beside the state, and import by it.
 */
export interface Resource<Client> {
  readonly description: string;
  readonly attributes: Attributes;
  /**
   * Each upgrades a stored state from the schema version at its index to the next. Their number is the schema version, so
   * add one with each change that is incompatible with older states. Added and removed attributes need none.
   */
  readonly stateUpgraders?: readonly StateUpgrader[];
  /** Checks that concern several attributes. Called before the provider is configured. */
  validate?(call: ConfigCall): void | Promise<void>;
  /** Names of computed attributes that the user has removed from the configuration. They are planned as null. */
  unset?(call: { readonly config: ValueRecord; readonly private: PrivateState }): readonly string[];
  /**
   * Refines the framework's plan. Without an error or a change in the result, the framework's plan is used.
   */
  modifyPlan?(call: PlanCall<Client>): Promise<PlanModification | undefined>;
  /**
   * Creates an object. With a reported or thrown error and a returned state, Terraform records the object as tainted; with
   * an error and null, there is no object.
   */
  create(call: CreateCall<Client>): Promise<NewState | null>;
  /** Reads an object; null if it is gone. After an import, `state` has the result of `importState`, and otherwise nulls. */
  read(call: ReadCall<Client>): Promise<NewState | null>;
  /** Changes an object in place. With an error and null, the earlier state is kept. */
  update(call: UpdateCall<Client>): Promise<NewState | null>;
  /** Deletes an object. */
  delete(call: DeleteCall<Client>): Promise<void>;
  /** Returns the known attributes of an object by its id, or null if there is none. `read` is called next. */
  importState(call: ClientCall<Client> & { readonly id: string }): Promise<ValueRecord | null>;
}

/** A data source, which reads objects managed elsewhere. */
export interface DataSource<Client> {
  readonly description: string;
  readonly attributes: Attributes;
  validate?(call: ConfigCall): void | Promise<void>;
  /** Returns the configuration with the computed attributes. */
  read(call: ClientCall<Client> & ConfigCall): Promise<ValueRecord | null>;
}

/** Lists objects for `terraform query` (1.14 or later). It has the name of their resource. */
export interface ListResource<Client> {
  readonly description: string;
  /** Lists all objects in any order. At most `limit` are requested. */
  list(
    call: ClientCall<Client> & {
      readonly limit: number;
      /** Whether the whole state of each object is requested, not only its id. */
      readonly isWhole: boolean;
    },
  ): AsyncIterable<ListedResource>;
}

/** An object found by a list resource. */
export interface ListedResource {
  /** Name shown to the user. */
  readonly displayName: string;
  /** By attribute of its resource. */
  readonly state: ValueRecord;
}

/** An operation without a state, run at an event of a resource or by `-invoke` (Terraform 1.14 or later). */
export interface Action<Client> {
  readonly description: string;
  readonly attributes: Attributes;
  validate?(call: ConfigCall): void | Promise<void>;
  /** Runs the action, and shows lines to the user with `progress`. With a reported or thrown error, the apply fails. */
  invoke(call: ClientCall<Client> & ConfigCall & { progress(message: string): void }): Promise<void>;
}

/** A provider. `Client` is the result of `configure`, passed to every resource. */
export interface Provider<Client> {
  /** The prefix of all its types, such as "example". */
  readonly name: string;
  readonly description: string;
  readonly attributes: Attributes;
  /** Checks that concern several attributes of the provider block. Called before it is configured. */
  validate?(call: ConfigCall): void | Promise<void>;
  /** Called once for every provider block; values may be unknown in a plan. */
  configure(call: ConfigCall): Promise<Client | null>;
  /** Called when Terraform disconnects. */
  close?(client: Client): Promise<void>;
  /** Explains an error to the user; undefined for a bug of the provider, which is reported with its stack. */
  explain(error: unknown): Diagnostic | undefined;
  /** By full name: "example_thing". */
  readonly resources: { readonly [type: string]: Resource<Client> };
  readonly dataSources: { readonly [type: string]: DataSource<Client> };
  readonly listResources: { readonly [type: string]: ListResource<Client> };
  readonly actions: { readonly [type: string]: Action<Client> };
}
