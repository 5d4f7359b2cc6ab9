import type { Json, JsonObject } from "../../base/text/index.js";
import type { ListDoubt, Service } from "../api/index.js";

/** Profiles, which enable the extra features of some deployments. */
export const profileNames = ["liveavatar"] as const;

export type ProfileName = (typeof profileNames)[number];

/** Value of a readable field. */
export type Value = Json;

/** An object value, such as a link: `{ url, faq }`. */
export type ObjectValue = JsonObject;

/** Values by field name. Write-only fields are never in a spec. */
export type Spec = Readonly<Record<string, Value>>;

interface FieldFacts {
  /** One sentence for `--help`, docs/, the JSON Schema and Terraform's documentation. */
  readonly description: string;
  readonly required?: true;
  /** Whether the field is in `ignore_changes`. It is then set on creation, but neither compared nor changed later. */
  readonly ignored?: true;
}

/**
 * A list setting that extends a field's allowed values, under `service:` in the manifest and in the Terraform provider.
 */
export interface ValueSetting {
  /** Name in YAML, such as "secret_types". */
  readonly name: string;
  readonly description: string;
}

export interface StringField extends FieldFacts {
  readonly type: "string";
  /** Minimum length, in UTF-16 code units. */
  readonly minLength?: number;
  /** Maximum length, in UTF-16 code units. */
  readonly maxLength?: number;
  /** Length in UTF-16 code units above which a valid text gets a warning. */
  readonly warnAbove?: number;
  readonly format?: "uuid" | "url" | "language";
  /** Whether the text is multi-line prose, which is shown as a word diff. */
  readonly prose?: true;
  readonly values?: readonly string[];
  /**
   * Documented values, which editors suggest. Other values are accepted unless they look like a typo of a documented
   * value.
   */
  readonly suggested?: readonly string[];
  /** The setting that extends `values`. */
  readonly valuesFrom?: ValueSetting;
  /** Whether the value is sent but never read back. It must come from a source tag and is never stored. */
  readonly writeOnly?: true;
  /**
   * Whether the field can be cleared by writing "", which is equivalent to null and to a missing value. Otherwise, a
   * field removed from the files keeps its value, and avatarops stops managing it.
   */
  readonly clearable?: true;
}

export interface ScalarField extends FieldFacts {
  readonly type: "number" | "boolean";
  /** Whether only integers are allowed. */
  readonly whole?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  /**
   * The service's default, which is equivalent to an absent value. An undeclared field is reset to its default, or is
   * unmanaged if it has none.
   */
  readonly default?: number | boolean;
  readonly clearable?: never;
  readonly prose?: never;
  readonly writeOnly?: never;
}

/** A list of strings, numbers or objects. The order is significant, and the list can always be cleared. */
export interface ListField extends FieldFacts {
  readonly type: "list";
  /** Name of an entry in messages: "link". */
  readonly entry: string;
  readonly item: StringField | ScalarField | ObjectField;
  readonly clearable?: never;
  readonly prose?: never;
  readonly writeOnly?: never;
}

/**
 * A field with named parts. An absent optional part has its default or empty value. If all parts are optional, the
 * whole field can be cleared.
 */
export interface ObjectField extends FieldFacts {
  readonly type: "object";
  readonly parts: Readonly<Record<string, PartField>>;
  /** Server-assigned keys, which are sent back if known and never compared. */
  readonly serverKeys?: readonly string[];
  readonly clearable?: never;
  readonly prose?: never;
  readonly writeOnly?: never;
}

/** Types that a part of an object field can have. */
export type PartField =
  | (StringField & { readonly writeOnly?: never })
  | ScalarField
  | ListField
  | ObjectField;

/**
 * A reference to another object: a declaration's key in the files, an id in requests. Objects are written after the
 * objects they refer to, and again when a referenced object gets a new id.
 */
export interface ReferenceField extends FieldFacts {
  readonly type: "reference";
  /** Name of the referenced kind. */
  readonly kind: string;
  /** Whether the reference can be cleared (see {@link StringField}). */
  readonly clearable?: true;
  readonly prose?: never;
  readonly writeOnly?: never;
}

export type Field = PartField | StringField | ReferenceField;

/** An attribute that the service computes. It is shown and exported, but never declared. */
export interface ComputedAttribute {
  readonly type: "string" | "boolean" | "object";
  readonly description: string;
  /** Keys of a mapping of strings. */
  readonly members?: readonly string[];
  /** Whether every write changes the attribute. */
  readonly changesOnWrite?: true;
}

/** An object in the account, in comparable form. */
export interface RemoteObject {
  readonly id: string;
  /** Value of the kind's `label` field, or "" if the service did not send it. */
  readonly label: string;
  /** Creation time in ISO 8601, as sent by the service. */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  /** Every readable field, normalized except for the server-assigned keys of list entries. */
  readonly spec: Spec;
  readonly computed: Readonly<Record<string, unknown>>;
}

/** A list entry. `live` is set if the list contains complete objects. */
export interface ListedObject {
  readonly id: string;
  readonly label: string;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly live?: RemoteObject;
}

/** Result of reading a list from the service. */
export interface ListedEntries<Entry = unknown> {
  readonly entries: readonly Entry[];
  /** Number of objects as counted by the service. */
  readonly count: number;
  readonly pages: number;
  /** Whether every page was read. */
  readonly complete: boolean;
  /** Reason why entries may be missing (see `PagedListing`). Never set for a list without pages. */
  readonly doubt?: ListDoubt;
}

/**
 * Decides after the first page whether to stop, because reading the objects one by one may be cheaper than reading the
 * other pages. The read waits for the result.
 */
export type StopReading = (first: ListedEntries) => boolean | Promise<boolean>;

/** Finds a kind's objects when their ids are unknown. */
export interface ListOperation {
  /** List to read. Kinds that share a list read it only once. For example, voices come from the avatar list. */
  readonly endpoint: string;
  /** Whether the list contains every object of the kind. */
  readonly exhaustive: boolean;
  /** Whether entries are complete objects, so that no further read is needed. */
  readonly whole: boolean;
  read(service: Service, options: { enough?: StopReading }): Promise<ListedEntries>;
  /** Extracts an object of this kind from an entry. Returns undefined if the entry has none. */
  toListed(entry: unknown): ListedObject | undefined;
}

/** Content of a create or an update. */
export interface WriteInput {
  /** All readable fields, with live values for undeclared fields. */
  readonly spec: Spec;
  /** Write-only values, in memory only during the call. */
  readonly secret: Readonly<Record<string, string>>;
}

export type IdOrigin =
  /** Declared by the user for an existing object, which is adopted. */
  | "adopted"
  /** Assigned by the service on creation. */
  | "created";

/** An example object, without values of write-only fields. */
export interface KindExample {
  /** Declaration key. */
  readonly key: string;
  /** Id in the account. */
  readonly id: string;
  readonly spec: Spec;
}

/**
 * Kind descriptor. Objects can be read, created, updated or deleted if the corresponding function is present, so shared
 * code never checks a kind's name.
 */
export interface Kind {
  /** First part of addresses: `context.support`. */
  readonly name: string;
  /** Name in sentences and headings: "Context". */
  readonly title: string;
  /** Name of the construct class: "Context". */
  readonly className: string;
  /** Key in the manifest: `contexts:`. */
  readonly collection: string;
  /** Description in one sentence. */
  readonly description: string;
  readonly identity: IdOrigin;
  /** Whether the service may reject a second object with the same label. */
  readonly uniqueLabels?: true;
  /** Whether running sessions use the kind's objects, so that an apply may have to wait until no session is active. */
  readonly usedInSessions?: true;
  /** Field with the object's name. Required for created kinds that can be found by name. */
  readonly label: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly computed: Readonly<Record<string, ComputedAttribute>>;
  /** Field that contains the body of a Markdown file. At most one kind uses Markdown files. */
  readonly markdownBody?: string;
  /** Example for the documentation. */
  readonly example: KindExample;
  /** Sentence shown when avatarops stops managing an object that stays in the account. */
  readonly afterForget: string;

  readonly list?: ListOperation;
  /** Reads one object. Returns undefined if no object has the id. */
  readonly read?: (service: Service, id: string) => Promise<RemoteObject | undefined>;
  /** Creates an object. Sent at most once (see the engine's journal). */
  readonly create?: (service: Service, input: WriteInput) => Promise<RemoteObject>;
  /** Replaces the whole managed object. `before` is the last read state of the object, if it is readable. */
  readonly update?: (
    service: Service,
    id: string,
    input: WriteInput,
    before?: RemoteObject,
  ) => Promise<RemoteObject>;
  /** Deletes an object permanently. Idempotent, so it may be repeated. */
  readonly remove?: (service: Service, id: string) => Promise<void>;
  /** Lists stock objects, which everyone can use but not change. The account's own lists do not contain them. */
  readonly listStock?: (service: Service) => Promise<ListedEntries<StockObject>>;
  /** Query parameter that filters sessions by the id of an object they use. */
  readonly sessionFilter?: string;
  /** Overrides by profile (see `withProfile`). */
  readonly profiles?: { readonly [Name in ProfileName]?: ProfileOverrides };
}

/** A read-only object that every account can use. */
export interface StockObject {
  readonly id: string;
  readonly name: string;
}

/** Properties of a kind that a profile may add or replace. */
export type ProfileOverrides = Partial<
  Pick<
    Kind,
    | "fields"
    | "list"
    | "read"
    | "create"
    | "update"
    | "remove"
    | "listStock"
    | "sessionFilter"
    | "afterForget"
  >
>;
