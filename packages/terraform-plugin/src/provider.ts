import type { Attributes } from "./attribute.js";
import type { Diagnostic, Diagnostics } from "./diagnostic.js";
import type { ValueRecord } from "./values/shape.js";

/*
 * What a provider is made of, as plain values.
 */

/** What every call gets: where to report to, when to stop, where to log. */
export interface Call {
  readonly diagnostics: Diagnostics;
  /** Aborted when the user has asked Terraform to stop (Ctrl-C), and when Terraform hangs up. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Writes to Terraform's own log, seen with TF_LOG. Never hand it a secret. */
export type Log = (
  level: "trace" | "debug" | "info" | "warn" | "error",
  message: string,
  facts?: { readonly [name: string]: string | number | boolean },
) => void;

/** A call with a configuration. While it is checked or planned, anything in it, at any depth, may still be unknown. */
export interface ConfigCall extends Call {
  readonly config: ValueRecord;
}

/** A call of a configured provider. */
export interface ClientCall<Client> extends Call {
  readonly client: Client;
}

/** What a provider remembers of an object beside its state, as JSON; neither shown nor open to references. */
export type PrivateState = { readonly [name: string]: unknown };

/** An object as the state keeps it. Without `private`, what was kept before is kept. */
export interface NewState {
  readonly state: ValueRecord;
  readonly private?: PrivateState;
}

/** What became of a plan. Everything left out stays as the framework planned it. */
export interface PlanModification {
  readonly planned?: ValueRecord;
  /** Kept for the apply. */
  readonly private?: PrivateState;
}

/** Changes a stored state, which may have any attributes, to the form of the next schema version. */
export type StateUpgrader = (state: ValueRecord) => ValueRecord;

/** What a plan is refined from: `prior` is null for a new object, `planned` for one to be deleted. */
export interface PlanCall<Client> extends ClientCall<Client>, ConfigCall {
  readonly prior: ValueRecord | null;
  readonly planned: ValueRecord | null;
  readonly private: PrivateState;
}

/** What a create is asked with. */
export interface CreateCall<Client> extends ClientCall<Client>, ConfigCall {
  readonly planned: ValueRecord;
  readonly private: PrivateState;
}

/** What an update is asked with. */
export interface UpdateCall<Client> extends CreateCall<Client> {
  readonly prior: ValueRecord;
}

/** What a read is asked with. */
export interface ReadCall<Client> extends ClientCall<Client> {
  readonly state: ValueRecord;
  readonly private: PrivateState;
}

/** What a delete is asked with. */
export interface DeleteCall<Client> extends ClientCall<Client> {
  readonly prior: ValueRecord;
  readonly private: PrivateState;
}

/**
 * A managed resource. `Client` is what the provider's `configure` returns. An object is told from all others of its type by
 * its attribute `id`: Terraform from 1.12 and OpenTofu from 1.12 keep it beside the state, and import by it.
 */
export interface Resource<Client> {
  readonly description: string;
  readonly attributes: Attributes;
  /**
   * Upgrades a stored state from the schema version that is its position to the next. Their number is the schema version, so
   * one is added with each change that older states do not fit. Attributes that are new or gone need none.
   */
  readonly stateUpgraders?: readonly StateUpgrader[];
  /** Checks that concern several attributes. Called before the provider is configured. */
  validate?(call: ConfigCall): void | Promise<void>;
  /** Names of computed attributes that the user had set and sets no longer: they are planned as null. */
  unset?(call: { readonly config: ValueRecord; readonly private: PrivateState }): readonly string[];
  /**
   * Refines the plan the framework has made. With neither an error nor a change in what it returns, the framework's plan
   * stands.
   */
  modifyPlan?(call: PlanCall<Client>): Promise<PlanModification | undefined>;
  /**
   * Makes an object. With an error reported, or thrown, and a state returned, Terraform records the object as tainted;
   * with an error and null, there is none.
   */
  create(call: CreateCall<Client>): Promise<NewState | null>;
  /** Reads an object; null when it is gone. After an import `state` holds what `importState` returned, and nulls. */
  read(call: ReadCall<Client>): Promise<NewState | null>;
  /** Changes an object in place. With an error and null, what was there is kept. */
  update(call: UpdateCall<Client>): Promise<NewState | null>;
  /** Deletes an object. */
  delete(call: DeleteCall<Client>): Promise<void>;
  /** What is known of an object by its id; `read` is called next. Null where there is none. */
  importState(call: ClientCall<Client> & { readonly id: string }): Promise<ValueRecord | null>;
}

/** A data source: reads what somebody else manages. */
export interface DataSource<Client> {
  readonly description: string;
  readonly attributes: Attributes;
  validate?(call: ConfigCall): void | Promise<void>;
  /** Returns the configuration with the computed attributes filled in. */
  read(call: ClientCall<Client> & ConfigCall): Promise<ValueRecord | null>;
}

/** Finds objects for `terraform query` (1.14 or later). It has the name of their resource. */
export interface ListResource<Client> {
  readonly description: string;
  /** Finds all objects, in an order of its own. More than `limit` are not asked for. */
  list(
    call: ClientCall<Client> & {
      readonly limit: number;
      /** Whether the state of each object is wanted whole, and not just its id. */
      readonly isWhole: boolean;
    },
  ): AsyncIterable<ListResult>;
}

/** An object that a list resource found. */
export interface ListResult {
  /** What people call it. */
  readonly displayName: string;
  /** By attribute of its resource. */
  readonly state: ValueRecord;
}

/** Something to be done, which is in no state: at an event of a resource, or by `-invoke` (Terraform 1.14 or later). */
export interface Action<Client> {
  readonly description: string;
  readonly attributes: Attributes;
  validate?(call: ConfigCall): void | Promise<void>;
  /** Does it, and shows lines to the user by `progress`. With an error reported, or thrown, the apply fails. */
  invoke(call: ClientCall<Client> & ConfigCall & { progress(message: string): void }): Promise<void>;
}

/** A provider. `Client` is what `configure` makes, and every resource gets. */
export interface Provider<Client> {
  /** The prefix of all its types: "example". */
  readonly name: string;
  readonly description: string;
  readonly attributes: Attributes;
  /** Checks the provider block beyond single attributes. Called before it is configured. */
  validate?(call: ConfigCall): void | Promise<void>;
  /** Once for every provider block, in a plan possibly with unknown values. */
  configure(call: ConfigCall): Promise<Client | null>;
  /** When Terraform hangs up. */
  close?(client: Client): Promise<void>;
  /** What an error means to the user; undefined: it is a bug of the provider, and is reported as one, with its stack. */
  explain(error: unknown): Diagnostic | undefined;
  /** By full name: "example_thing". */
  readonly resources: { readonly [type: string]: Resource<Client> };
  readonly dataSources: { readonly [type: string]: DataSource<Client> };
  readonly listResources: { readonly [type: string]: ListResource<Client> };
  readonly actions: { readonly [type: string]: Action<Client> };
}
