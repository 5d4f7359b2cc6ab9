import type { Attributes, Known, MaybeUnknown } from "./attribute.js";
import type { Diagnostic, Diagnostics } from "./diagnostic.js";
import type { Type, Value } from "./values/value.js";

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

/** A call of a configured provider. */
export interface ClientCall<Client> extends Call {
  readonly client: Client;
}

/** What a provider remembers of an object beside its state, as JSON; neither shown nor open to references. */
export type PrivateState = { readonly [name: string]: unknown };

/** An object as the state keeps it. Without `private`, what was kept before is kept. */
export interface NewState<A extends Attributes> {
  readonly state: Known<A>;
  readonly private?: PrivateState;
}

/** What became of a plan. Everything left out stays as the framework planned it. */
export interface PlanModification<A extends Attributes> {
  readonly planned?: MaybeUnknown<A>;
  /** Kept for the apply. */
  readonly private?: PrivateState;
}

/** A managed resource. `A` is its attributes, `Client` what the provider's `configure` returns. */
export interface Resource<A extends Attributes, Client> {
  readonly description: string;
  readonly attributes: A;
  /**
   * Names of the attributes that tell an object from all others of its type. Terraform from 1.12 and OpenTofu from 1.12 keep
   * them beside the state, and import by them.
   */
  readonly identity?: readonly string[];
  /** Checks that concern several attributes. Called before the provider is configured. */
  validate?(call: Call & { readonly config: MaybeUnknown<A> }): void | Promise<void>;
  /** Names of computed attributes that the user had set and sets no longer: they are planned as null. */
  unset?(call: { readonly config: MaybeUnknown<A>; readonly private: PrivateState }): readonly string[];
  /**
   * Refines the plan the framework has made. `prior` is null for a new object, `planned` for one to be deleted.
   * With neither an error nor a change in what it returns, the framework's plan stands.
   */
  modifyPlan?(
    call: ClientCall<Client> & {
      readonly config: MaybeUnknown<A>;
      readonly prior: Known<A> | null;
      readonly planned: MaybeUnknown<A> | null;
      readonly private: PrivateState;
    },
    // biome-ignore lint/suspicious/noConfusingVoidType: a plan that changes nothing need not say so
  ): PlanModification<A> | void | Promise<PlanModification<A> | void>;
  /**
   * Makes an object. With an error reported, or thrown, and a state returned, Terraform records the object as tainted;
   * with an error and null, there is none.
   */
  create(
    call: ClientCall<Client> & {
      readonly config: Known<A>;
      readonly planned: MaybeUnknown<A>;
      readonly private: PrivateState;
    },
  ): Promise<NewState<A> | null>;
  /** Reads an object; null when it is gone. After an import `state` holds what `importState` returned, and nulls. */
  read(
    call: ClientCall<Client> & { readonly state: Known<A>; readonly private: PrivateState },
  ): Promise<NewState<A> | null>;
  /** Changes an object in place. With an error and null, what was there is kept. */
  update(
    call: ClientCall<Client> & {
      readonly config: Known<A>;
      readonly prior: Known<A>;
      readonly planned: MaybeUnknown<A>;
      readonly private: PrivateState;
    },
  ): Promise<NewState<A> | null>;
  /** Deletes an object. */
  delete(
    call: ClientCall<Client> & { readonly prior: Known<A>; readonly private: PrivateState },
  ): Promise<void>;
  /**
   * What is known of an object by its import id; `read` is called next. Null where there is none. Imported by its
   * `identity`, `id` is what that has if it is one text, else empty.
   */
  importState(
    call: ClientCall<Client> & {
      readonly id: string;
      readonly identity?: { readonly [name: string]: Value };
    },
  ): Promise<Partial<Known<A>> | null>;
}

/** A data source: reads what somebody else manages. */
export interface DataSource<A extends Attributes, Client> {
  readonly description: string;
  readonly attributes: A;
  validate?(call: Call & { readonly config: MaybeUnknown<A> }): void | Promise<void>;
  /** Returns the configuration with the computed attributes filled in. */
  read(call: ClientCall<Client> & { readonly config: Known<A> }): Promise<Known<A> | null>;
}

/** Finds objects for `terraform query` (1.14 or later). It has the name of their resource, which has an identity. */
export interface ListResource<A extends Attributes, Client> {
  readonly description: string;
  /** What the objects are chosen by. */
  readonly attributes: A;
  validate?(call: Call & { readonly config: MaybeUnknown<A> }): void | Promise<void>;
  /** Finds objects, in an order of its own. More than `limit` are not asked for. */
  list(
    call: ClientCall<Client> & {
      readonly config: Known<A>;
      readonly limit: number;
      /** Whether the state of each object is wanted whole, and not just what identifies it. */
      readonly isWhole: boolean;
    },
  ): AsyncIterable<ListResult>;
}

/** An object that a list resource found. */
export interface ListResult {
  /** What people call it. */
  readonly displayName: string;
  /** By attribute of its resource. */
  readonly state: { readonly [name: string]: Value };
}

/** Something to be done, which is in no state: at an event of a resource, or by `-invoke` (Terraform 1.14 or later). */
export interface Action<A extends Attributes, Client> {
  readonly description: string;
  readonly attributes: A;
  validate?(call: Call & { readonly config: MaybeUnknown<A> }): void | Promise<void>;
  /** Checks it in a plan. */
  plan?(call: ClientCall<Client> & { readonly config: MaybeUnknown<A> }): void | Promise<void>;
  /** Does it. With an error reported, or thrown, the apply fails. */
  invoke(
    call: ClientCall<Client> & {
      readonly config: Known<A>;
      /** Shows a line to the user. */
      progress(message: string): void;
    },
  ): Promise<void>;
}

/** A provider function. It is pure: the same arguments give the same result. */
export interface ProviderFunction {
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly variadic?: Parameter;
  readonly returns: Type;
  /** @throws FunctionError, shown to the user at the argument it names. */
  call(...values: Value[]): Value | Promise<Value>;
}

/** A parameter of a function. */
export interface Parameter {
  readonly name: string;
  readonly type: Type;
  readonly description: string;
}

/** A provider. `Client` is what `configure` makes, and every resource gets. */
export interface Provider<Client, C extends Attributes = Attributes> {
  /** The prefix of all its types: "example". */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly attributes: C;
  validate?(call: Call & { readonly config: MaybeUnknown<C> }): void | Promise<void>;
  /** Once for every provider block, in a plan possibly with unknown values. */
  configure(call: Call & { readonly config: MaybeUnknown<C> }): Promise<Client | null>;
  /** When Terraform hangs up. */
  close?(client: Client): Promise<void>;
  /** What an error means to the user; undefined: it is a bug of the provider, and is reported as one, with its stack. */
  explain?(error: unknown): Diagnostic | undefined;
  /** By full name: "example_thing". */
  readonly resources: { readonly [type: string]: Resource<Attributes, Client> };
  readonly dataSources: { readonly [type: string]: DataSource<Attributes, Client> };
  readonly listResources: { readonly [type: string]: ListResource<Attributes, Client> };
  readonly actions: { readonly [type: string]: Action<Attributes, Client> };
  /** By bare name: "prompt_file". */
  readonly functions: { readonly [name: string]: ProviderFunction };
}

/** A provider as it is written down: what it does not have may be left out. */
export type ProviderDefinition<Client, C extends Attributes> = Omit<Provider<Client, C>, Parts> &
  Partial<Pick<Provider<Client, C>, Parts>>;

type Parts = "resources" | "dataSources" | "listResources" | "actions" | "functions";

/** Infers the types of configuration, plan and state from the attributes of each definition. */
export interface Definitions<Client> {
  resource<const A extends Attributes>(resource: Resource<A, Client>): Resource<A, Client>;
  dataSource<const A extends Attributes>(source: DataSource<A, Client>): DataSource<A, Client>;
  listResource<const A extends Attributes>(list: ListResource<A, Client>): ListResource<A, Client>;
  action<const A extends Attributes>(action: Action<A, Client>): Action<A, Client>;
  provider<const C extends Attributes>(provider: ProviderDefinition<Client, C>): Provider<Client, C>;
}

/** `const define = definitionsFor<Client>()`, then `define.resource({ … })`. */
export function definitionsFor<Client>(): Definitions<Client> {
  return {
    resource: (resource) => resource,
    dataSource: (source) => source,
    listResource: (list) => list,
    action: (action) => action,
    provider: (provider) => ({
      resources: {},
      dataSources: {},
      listResources: {},
      actions: {},
      functions: {},
      ...provider,
    }),
  };
}
