import type { Service } from "../api/index.js";

/** One entry of a list field, e.g. a link: `{ url, faq }`. */
export type Item = Readonly<Record<string, string>>;

/** What a readable field can hold. */
export type Value = string | readonly Item[];

/** Values by field name. Write-only fields are never in a spec. */
export type Spec = Readonly<Record<string, Value>>;

interface FieldFacts {
  /** One sentence for `--help`, docs/, the JSON Schema and Terraform's documentation. */
  readonly description: string;
  /** Must be declared. */
  readonly required?: true;
}

/** A list of texts under `service:` of the manifest, and of the Terraform provider, that adds values to a field. */
export interface ValueSetting {
  /** As spelled in YAML: "secret_types". */
  readonly name: string;
  readonly description: string;
}

/** A field that holds one string. */
export interface StringField extends FieldFacts {
  readonly type: "string";
  /** UTF-16 code units. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Longer is suspicious, not wrong. UTF-16 code units. */
  readonly warnAbove?: number;
  /** What to do where the text is longer than `warnAbove`. */
  readonly longHint?: string;
  /** What to do where required prose is empty. */
  readonly emptyHint?: string;
  readonly format?: "uuid" | "url";
  /** Prose of many lines: compared word by word when shown. */
  readonly prose?: true;
  /** The values the document knows. */
  readonly values?: readonly string[];
  /** The setting that adds values to `values`. */
  readonly valuesFrom?: ValueSetting;
  /** Sent, never read back; its value must come from a source tag and is never kept. */
  readonly writeOnly?: true;
  /**
   * Absent, null and "" mean the same, and "" may be written. A field without it cannot be cleared: taken out of
   * the code, it is simply no longer managed.
   */
  readonly clearable?: true;
}

/** A field that holds a list of small records. Order counts. Always clearable. */
export interface ListField extends FieldFacts {
  readonly type: "list";
  /** What one entry is called in messages: "link". */
  readonly entry: string;
  readonly item: Readonly<Record<string, StringField>>;
  /** Keys the service gives to entries: sent back when known, never compared. */
  readonly serverKeys: readonly string[];
}

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

export type Field = StringField | ListField | ReferenceField;

/** An attribute the service computes; shown and exported, never declared. */
export interface ComputedAttribute {
  readonly type: "string" | "boolean" | "object";
  readonly description: string;
  /** The texts an object holds. */
  readonly members?: readonly string[];
  /** Never changes. */
  readonly constant?: true;
}

/** An object as the service holds it, made comparable. */
export interface Live {
  readonly id: string;
  /** What people call it: the value of the kind's `label` field. "" where the service did not tell. */
  readonly label: string;
  /** ISO 8601, as the service wrote it. */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  /** Every readable field, canonical but for the assigned keys of list entries. */
  readonly spec: Spec;
  /** The computed attributes, by name. */
  readonly computed: Readonly<Record<string, unknown>>;
}

/** What a list tells of one object; `live` where it tells all of it. */
export interface ListedObject {
  readonly id: string;
  readonly label: string;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly live?: Live;
}

/** What came of reading one of the service's lists. */
export interface ListResult<Entry = unknown> {
  readonly entries: readonly Entry[];
  /** How many objects the service says there are. */
  readonly count: number;
  /** How many pages there are. */
  readonly pages: number;
  /** Every page was read: what is not in it does not exist. */
  readonly complete: boolean;
  /** It would not hold still while it was read: entries may be missing. */
  readonly unstable?: boolean;
}

/**
 * Stops a sweep after the first of several pages, when reading objects one by one is cheaper than the remaining ones. A
 * promise holds it there until that is decided.
 */
export type StopReading = (first: ListResult) => boolean | Promise<boolean>;

/** How a kind finds its objects without being told an id. */
export interface ListOperation {
  /** The service's list this is read from. Two kinds may share one (avatars tell of voices): it is read once. */
  readonly endpoint: string;
  /** Whether every object of the kind is in the list: what is not in a complete one does not exist. */
  readonly exhaustive: boolean;
  /** Whether an entry tells the whole object, so that it need not be read singly. */
  readonly whole: boolean;
  read(service: Service, options: { enough?: StopReading }): Promise<ListResult>;
  /** What an entry of that list tells of an object of this kind; undefined when nothing. */
  toListed(entry: unknown): ListedObject | undefined;
}

/** What a create or an update sends. */
export interface WriteInput {
  /** Every readable field of the object: declared values over live ones. */
  readonly spec: Spec;
  /** Write-only values, held only while the call is made. */
  readonly secret: Readonly<Record<string, string>>;
}

/** Where an object's id comes from. */
export type Identity =
  /** The user writes it: the object exists already and is adopted. */
  | "adopted"
  /** The service makes it on creation. */
  | "created";

/** An object as it may stand in a project. Values of write-only fields are left out. */
export interface KindExample {
  /** Its logical name. */
  readonly key: string;
  /** Its id in the account. */
  readonly id: string;
  readonly spec: Spec;
}

/**
 * One kind of object, whole: fields, computed attributes, powers. Shared code never asks which kind it has; a
 * power is the presence of a function.
 */
export interface Kind {
  /** As in addresses: `context.support`. */
  readonly name: string;
  /** As in sentences and headings: "Context". */
  readonly title: string;
  /** Of its constructs: "Context". */
  readonly className: string;
  /** As in the manifest: `contexts:`. */
  readonly collection: string;
  /** One sentence. */
  readonly description: string;
  readonly identity: Identity;
  /** Whether the service may refuse a second object of the same label. */
  readonly uniqueLabels?: true;
  /** The field people call the object by; must be declared by assigned kinds that can be found by name. */
  readonly label: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly computed: Readonly<Record<string, ComputedAttribute>>;
  /** The field that is the text of a Markdown file, of the one kind whose objects can be such files. */
  readonly markdownBody?: string;
  /** An object of the kind, for the documentation. */
  readonly example: KindExample;
  /** Said when the management of an object ends and the object stays. */
  readonly afterForget: string;

  readonly list?: ListOperation;
  /** Reads one object; undefined when there is none with that id. */
  readonly read?: (service: Service, id: string) => Promise<Live | undefined>;
  /** Makes an object. Sent at most once: see the engine's journal. */
  readonly create?: (service: Service, input: WriteInput) => Promise<Live>;
  /** Writes the whole managed object; `before` is the object as last read, where it can be read. */
  readonly update?: (service: Service, id: string, input: WriteInput, before?: Live) => Promise<Live>;
  /** Deletes an object, for good. May be sent again: that it is not there is what is wanted. */
  readonly remove?: (service: Service, id: string) => Promise<void>;
}
