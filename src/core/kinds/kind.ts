import type { Json, JsonObject } from "../../base/text/index.js";
import type { ListDoubt, Service } from "../api/index.js";

/** Names for deployments that offer more than the service's document. */
export const profileNames = ["liveavatar"] as const;

export type ProfileName = (typeof profileNames)[number];

/** The possible values of a readable field. */
export type Value = Json;

/** An object value, such as a link: `{ url, faq }`. */
export type ObjectValue = JsonObject;

/** Values by field name. Write-only fields are never in a spec. */
export type Spec = Readonly<Record<string, Value>>;

interface FieldFacts {
  /** One sentence for `--help`, docs/, the JSON Schema and Terraform's documentation. */
  readonly description: string;
  readonly required?: true;
  /** Set by `ignore_changes`: written when the object is created, then neither compared nor changed. */
  readonly ignored?: true;
}

/**
 * A list under `service:` of the manifest, and in the Terraform provider, that extends the allowed values of a field.
 */
export interface ValueSetting {
  /** As spelled in YAML: "secret_types". */
  readonly name: string;
  readonly description: string;
}

export interface StringField extends FieldFacts {
  readonly type: "string";
  /** UTF-16 code units. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Longer texts are valid but get a warning. UTF-16 code units. */
  readonly warnAbove?: number;
  readonly format?: "uuid" | "url" | "language";
  /** Multi-line prose: shown as a word diff. */
  readonly prose?: true;
  readonly values?: readonly string[];
  /** Documented values, which editors suggest. Other values are accepted unless they look like a typo of one. */
  readonly suggested?: readonly string[];
  /** The setting that extends `values`. */
  readonly valuesFrom?: ValueSetting;
  /** Sent and never read back. The value must come from a source tag and is never stored. */
  readonly writeOnly?: true;
  /**
   * Absent, null and "" are equal, and "" may be written. Without this, the field cannot be cleared: when it is no longer
   * declared, it is no longer managed.
   */
  readonly clearable?: true;
}

/** A number or a boolean. */
export interface ScalarField extends FieldFacts {
  readonly type: "number" | "boolean";
  /** Integers only. */
  readonly whole?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  /**
   * The service's default. It equals an absent value, and a field that is no longer declared is reset to it. Without a
   * default, such a field is no longer managed.
   */
  readonly default?: number | boolean;
  readonly clearable?: never;
  readonly prose?: never;
  readonly writeOnly?: never;
}

/** A list of texts, numbers or objects. Order counts. Can always be cleared. */
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
 * A field with parts. Each part is required or has an empty value, such as a default, which an absent part equals. Without
 * required parts, the whole field can be cleared.
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

/** Field types that a part of an object can have. */
export type PartField =
  | (StringField & { readonly writeOnly?: never })
  | ScalarField
  | ListField
  | ObjectField;

/**
 * A reference to another object: a declaration's key in the files, an id in requests. Objects are written after the objects
 * they refer to, and again when one of those gets another id.
 */
export interface ReferenceField extends FieldFacts {
  readonly type: "reference";
  /** Name of the kind it refers to. */
  readonly kind: string;
  /** See {@link StringField}. */
  readonly clearable?: true;
  readonly prose?: never;
  readonly writeOnly?: never;
}

export type Field = PartField | StringField | ReferenceField;

/** An attribute that the service computes. It is shown and exported, but never declared. */
export interface ComputedAttribute {
  readonly type: "string" | "boolean" | "object";
  readonly description: string;
  /** Keys, if the attribute is an object of texts. */
  readonly members?: readonly string[];
  /** Every write changes it. */
  readonly changesOnWrite?: true;
}

/** An object of the account in comparable form. */
export interface RemoteObject {
  readonly id: string;
  /** Value of the kind's `label` field; "" if the service did not send it. */
  readonly label: string;
  /** ISO 8601, as the service wrote it. */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  /** Every readable field, in normal form except for the assigned keys of list entries. */
  readonly spec: Spec;
  /** The computed attributes, by name. */
  readonly computed: Readonly<Record<string, unknown>>;
}

/** An entry of a list. `live` is set if the list contains the whole object. */
export interface ListedObject {
  readonly id: string;
  readonly label: string;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly live?: RemoteObject;
}

/** The result of reading one of the service's lists. */
export interface ListResult<Entry = unknown> {
  readonly entries: readonly Entry[];
  /** Number of objects as counted by the service. */
  readonly count: number;
  readonly pages: number;
  /** Every page was read. */
  readonly complete: boolean;
  /** Why entries may be missing; absent for a steady list. A list without pages is always steady. */
  readonly doubt?: ListDoubt;
}

/**
 * Decides after the first page whether to stop, because reading single objects is cheaper than reading the other pages. The
 * sweep waits for the promise.
 */
export type StopReading = (first: ListResult) => boolean | Promise<boolean>;

/** How a kind finds its objects without an id. */
export interface ListOperation {
  /** List to read. Kinds may share one, which is then read once: voices are in the list of avatars. */
  readonly endpoint: string;
  /** Whether the list contains every object of the kind. */
  readonly exhaustive: boolean;
  /** Whether an entry contains the whole object, so that no further read is needed. */
  readonly whole: boolean;
  read(service: Service, options: { enough?: StopReading }): Promise<ListResult>;
  /** Extracts an object of this kind from an entry; undefined if the entry has none. */
  toListed(entry: unknown): ListedObject | undefined;
}

/** Content of a create or an update. */
export interface WriteInput {
  /** All readable fields: declared values, or live ones where nothing is declared. */
  readonly spec: Spec;
  /** Write-only values, in memory only during the call. */
  readonly secret: Readonly<Record<string, string>>;
}

/** The origin of an object's id. */
export type IdOrigin =
  /** Declared by the user for an existing object, which is adopted. */
  | "adopted"
  /** Assigned by the service on creation. */
  | "created";

/** An example object, without values of write-only fields. */
export interface KindExample {
  /** Key of its declaration. */
  readonly key: string;
  /** Id in the account. */
  readonly id: string;
  readonly spec: Spec;
}

/**
 * Descriptor of a kind: fields, computed attributes, operations. An operation is supported if its function is present.
 * Shared code never checks which kind it handles.
 */
export interface Kind {
  /** First part of addresses: `context.support`. */
  readonly name: string;
  /** Name in sentences and headings: "Context". */
  readonly title: string;
  /** Name of its constructs: "Context". */
  readonly className: string;
  /** Key in the manifest: `contexts:`. */
  readonly collection: string;
  /** One sentence. */
  readonly description: string;
  readonly identity: IdOrigin;
  /** Whether the service may reject a second object with the same label. */
  readonly uniqueLabels?: true;
  /** Whether running sessions use its objects, so that an apply may have to wait until no session is active. */
  readonly usedInSessions?: true;
  /** Field with the object's name. Required for created kinds that can be found by name. */
  readonly label: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly computed: Readonly<Record<string, ComputedAttribute>>;
  /** Field that holds the body of a Markdown file. At most one kind has such files. */
  readonly markdownBody?: string;
  /** For the documentation. */
  readonly example: KindExample;
  /** Shown when avatarops stops managing an object that stays in the account. */
  readonly afterForget: string;

  readonly list?: ListOperation;
  /** Reads one object; undefined if no object has the id. */
  readonly read?: (service: Service, id: string) => Promise<RemoteObject | undefined>;
  /** Creates an object. Sent at most once: see the engine's journal. */
  readonly create?: (service: Service, input: WriteInput) => Promise<RemoteObject>;
  /** Writes the whole managed object; `before` is the object as last read, if readable. */
  readonly update?: (
    service: Service,
    id: string,
    input: WriteInput,
    before?: RemoteObject,
  ) => Promise<RemoteObject>;
  /** Deletes an object permanently. Idempotent, so it may be repeated. */
  readonly remove?: (service: Service, id: string) => Promise<void>;
  /** Lists stock objects, which every account may use and none can change. They are not in the account's own lists. */
  readonly stock?: (service: Service) => Promise<ListResult<StockObject>>;
  /** Query parameter that filters sessions by the id of an object they use. */
  readonly sessionFilter?: string;
  /** Overrides by profile: see `withProfile`. */
  readonly profiles?: { readonly [Name in ProfileName]?: ProfileOverrides };
}

/** A read-only object that every account may use. */
export interface StockObject {
  readonly id: string;
  readonly name: string;
}

/** Properties of a kind that a profile may add or replace. */
export type ProfileOverrides = Partial<
  Pick<
    Kind,
    "fields" | "list" | "read" | "create" | "update" | "remove" | "stock" | "sessionFilter" | "afterForget"
  >
>;
