import type { Json, JsonObject } from "../../base/text/index.js";
import type { ListDoubt, Service } from "../api/index.js";

/** Deployments of the service that are known to offer more than its document. */
export const profileNames = ["liveavatar"] as const;

export type ProfileName = (typeof profileNames)[number];

/** The possible values of a readable field. */
export type Value = Json;

/** A value with parts, such as a link: `{ url, faq }`. */
export type Item = JsonObject;

/** Values by field name. Write-only fields are never in a spec. */
export type Spec = Readonly<Record<string, Value>>;

interface FieldFacts {
  /** One sentence for `--help`, docs/, the JSON Schema and Terraform's documentation. */
  readonly description: string;
  readonly required?: true;
  /** `ignore_changes` names it: written when an object is made, then neither compared nor changed. */
  readonly ignored?: true;
}

/**
 * A list of texts under `service:` of the manifest, and of the Terraform provider, that extends the values of
 * a field.
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
  /** A longer text is suspicious, but valid. UTF-16 code units. */
  readonly warnAbove?: number;
  readonly format?: "uuid" | "url" | "language";
  /** Multi-line prose: shown as a word diff. */
  readonly prose?: true;
  readonly values?: readonly string[];
  /** Documented values: editors suggest them, and any other is accepted that is not close to one. */
  readonly suggested?: readonly string[];
  /** The setting that extends `values`. */
  readonly valuesFrom?: ValueSetting;
  /** Sent, never read back; its value must come from a source tag and is never stored. */
  readonly writeOnly?: true;
  /**
   * Absent, null and "" mean the same, and "" may be written. A field without this cannot be cleared: if it
   * is no longer declared, it is simply no longer managed.
   */
  readonly clearable?: true;
}

/** A number, or true or false. */
export interface ScalarField extends FieldFacts {
  readonly type: "number" | "boolean";
  /** A whole number. */
  readonly whole?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  /**
   * What the service uses where nothing is given: it equals an absent value, and a field that is no longer declared goes back
   * to it. Without one, such a field is simply no longer managed.
   */
  readonly default?: number | boolean;
  readonly clearable?: never;
  readonly prose?: never;
  readonly writeOnly?: never;
}

/** A field with a list of texts, numbers or objects. Order counts. Can always be cleared. */
export interface ListField extends FieldFacts {
  readonly type: "list";
  /** The name of an entry in messages: "link". */
  readonly entry: string;
  readonly item: StringField | ScalarField | ObjectField;
  readonly clearable?: never;
  readonly prose?: never;
  readonly writeOnly?: never;
}

/**
 * A field with parts. Each part is required or has an empty value, such as a default: so a value is always whole, and what is
 * not written of it equals that. Without required parts, the whole field can be cleared.
 */
export interface ObjectField extends FieldFacts {
  readonly type: "object";
  readonly parts: Readonly<Record<string, PartField>>;
  /** Server-assigned keys: sent back if known, never compared. */
  readonly serverKeys?: readonly string[];
  readonly clearable?: never;
  readonly prose?: never;
  readonly writeOnly?: never;
}

/** What a part of an object can be. */
export type PartField =
  | (StringField & { readonly writeOnly?: never })
  | ScalarField
  | ListField
  | ObjectField;

/**
 * A field that names another object. In the files it is the logical name of a declaration, to the service the id. Objects
 * are written after those they refer to, and again when one of those gets another id.
 */
export interface ReferenceField extends FieldFacts {
  readonly type: "reference";
  /** Name of the kind it refers to. */
  readonly kind: string;
  /** As of a text. */
  readonly clearable?: true;
  readonly prose?: never;
  readonly writeOnly?: never;
}

export type Field = PartField | StringField | ReferenceField;

/** An attribute computed by the service; shown and exported, never declared. */
export interface ComputedAttribute {
  readonly type: "string" | "boolean" | "object";
  readonly description: string;
  /** The texts of an object. */
  readonly members?: readonly string[];
  /** Every write changes it. */
  readonly changesOnWrite?: true;
}

/** An object of the service in comparable form. */
export interface Live {
  readonly id: string;
  /** The value of the kind's `label` field. "" if the service did not send it. */
  readonly label: string;
  /** ISO 8601, as the service wrote it. */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  /** Every readable field, in normal form except for the assigned keys of list entries. */
  readonly spec: Spec;
  /** The computed attributes, by name. */
  readonly computed: Readonly<Record<string, unknown>>;
}

/** A list's facts about one object; `live` if the list has all of it. */
export interface ListedObject {
  readonly id: string;
  readonly label: string;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly live?: Live;
}

/** The result of reading one of the service's lists. */
export interface ListResult<Entry = unknown> {
  readonly entries: readonly Entry[];
  /** The number of objects according to the service. */
  readonly count: number;
  readonly pages: number;
  /** Every page was read. */
  readonly complete: boolean;
  /** Why entries may be missing; absent if it is steady, as a list without pages always is. */
  readonly doubt?: ListDoubt;
}

/**
 * Stops a sweep after the first of several pages, if reading objects singly is cheaper than the remaining
 * pages. The sweep waits for a promise.
 */
export type StopReading = (first: ListResult) => boolean | Promise<boolean>;

/** How a kind finds its objects without an id. */
export interface ListOperation {
  /** The service's list to read. Two kinds may share one (voices are in the list of avatars): it is read once. */
  readonly endpoint: string;
  /** Whether the list has every object of the kind. */
  readonly exhaustive: boolean;
  /** Whether an entry has the whole object, so that it need not be read singly. */
  readonly whole: boolean;
  read(service: Service, options: { enough?: StopReading }): Promise<ListResult>;
  /** What an entry of that list says about an object of this kind; undefined if nothing. */
  toListed(entry: unknown): ListedObject | undefined;
}

/** What a create or an update sends. */
export interface WriteInput {
  /** Every readable field of the object: declared values over live ones. */
  readonly spec: Spec;
  /** Write-only values, in memory only during the call. */
  readonly secret: Readonly<Record<string, string>>;
}

/** The origin of an object's id. */
export type Identity =
  /** The user writes it: the object exists already and is adopted. */
  | "adopted"
  /** The service assigns it on creation. */
  | "created";

/** An example of an object in a project, without values of write-only fields. */
export interface KindExample {
  /** Its logical name. */
  readonly key: string;
  /** Its id in the account. */
  readonly id: string;
  readonly spec: Spec;
}

/**
 * One kind of object: fields, computed attributes, powers. Shared code never checks which kind it has;
 * a power is the presence of a function.
 */
export interface Kind {
  /** As in addresses: `context.support`. */
  readonly name: string;
  /** As in sentences and headings: "Context". */
  readonly title: string;
  /** Name of its constructs: "Context". */
  readonly className: string;
  /** As in the manifest: `contexts:`. */
  readonly collection: string;
  /** One sentence. */
  readonly description: string;
  readonly identity: Identity;
  /** Whether the service may refuse a second object with the same label. */
  readonly uniqueLabels?: true;
  /** What people hear in running sessions comes from its objects: apply can wait until no session is active. */
  readonly usedInSessions?: true;
  /** The field that people identify the object by; required for created kinds that can be found by name. */
  readonly label: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly computed: Readonly<Record<string, ComputedAttribute>>;
  /** The field that is the text of a Markdown file, for the only kind whose objects can be such files. */
  readonly markdownBody?: string;
  /** An object of the kind, for the documentation. */
  readonly example: KindExample;
  /** Shown when avatarops stops managing an object that stays in the account. */
  readonly afterForget: string;

  readonly list?: ListOperation;
  /** Reads one object; undefined if there is none with that id. */
  readonly read?: (service: Service, id: string) => Promise<Live | undefined>;
  /** Creates an object. Sent at most once: see the engine's journal. */
  readonly create?: (service: Service, input: WriteInput) => Promise<Live>;
  /** Writes the whole managed object; `before` is the object as last read, if readable. */
  readonly update?: (service: Service, id: string, input: WriteInput, before?: Live) => Promise<Live>;
  /** Deletes an object for good. May be repeated: the goal is that it does not exist. */
  readonly remove?: (service: Service, id: string) => Promise<void>;
  /** Lists what every account may use and none can change: it is in no list of the account's own. */
  readonly stock?: (service: Service) => Promise<ListResult<StockObject>>;
  /** What filters a list of sessions by the id of an object that they use: a parameter of the query. */
  readonly sessionFilter?: string;
  /** The powers that a deployment adds to those of the document, by its profile: see `withProfile`. */
  readonly profiles?: { readonly [Name in ProfileName]?: Powers };
}

/** An object that every account may use. */
export interface StockObject {
  readonly id: string;
  readonly name: string;
}

/** What a profile may add to a kind, or say otherwise. */
export type Powers = Partial<
  Pick<
    Kind,
    "fields" | "list" | "read" | "create" | "update" | "remove" | "stock" | "sessionFilter" | "afterForget"
  >
>;
