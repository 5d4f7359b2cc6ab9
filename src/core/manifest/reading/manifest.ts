import type { SourceRange } from "../../../base/diagnostics/index.js";
import type {
  AllowedValues,
  Kind,
  ProfileName,
  RemovalPolicy,
  RotationPolicy,
  Spec,
} from "../../kinds/index.js";
import type { SourceKind, ValueSource } from "../../secrets/index.js";
import type { CreditPrice, DurationUnit } from "../forms/form.js";
import type { NoticeEvent, NoticeFormat } from "../forms/notify-form.js";
import type { RuleName } from "../forms/policy-form.js";
import type { Origin } from "../tree/node.js";
import type { EnvironmentSettings } from "./environments.js";

/** The desired state, complete and without errors, and where each part of it is written. */
export interface Manifest {
  /** Absolute path of the project folder: that of the main file. */
  readonly root: string;
  /** The main file, relative to the root. */
  readonly file: string;
  /** Every file read, relative to the root, in the order of reading. */
  readonly files: readonly string[];
  /** The patterns of all `include`s, relative to the root. */
  readonly includes: readonly string[];
  /** The chosen one. */
  readonly environment?: string | undefined;
  /** All that it declares, by name. */
  readonly environments: ReadonlyMap<string, EnvironmentSettings>;
  readonly service: ServiceSettings;
  /** The state: a file, relative to the root, or the URL of a store. */
  readonly state: string;
  /** What apply does about edits made elsewhere. */
  readonly drift: "refuse" | "overwrite";
  readonly thresholds: Thresholds;
  /** What becomes of objects that avatarops created and that leave the files, by the name of their kind. */
  readonly onRemoval?: Readonly<Record<string, RemovalPolicy>> | undefined;
  readonly reviews: ReviewSettings;
  /** Key for secret fingerprints, so that the state alone does not allow guessing. */
  readonly fingerprintKey?: ValueSource | undefined;
  /** Who is told of what happens. */
  readonly notify: readonly NoticeTarget[];
  /** What the declared objects and every plan are judged by. */
  readonly policies?: Policies | undefined;
  /** The kinds of sources that the project defines itself, by name. */
  readonly sourceKinds?: ReadonlyMap<string, SourceKind>;
  /** In the order of kinds, then in the order declared. */
  readonly declarations: readonly Declaration[];
  readonly presets: readonly Preset[];
  /** Texts by name, for templates. */
  readonly variables: Readonly<Record<string, string>>;
  /** What the files declare for its other environments, by name; empty unless `LoadOptions.elsewhere` asks for it. */
  readonly elsewhere: ReadonlyMap<string, readonly Declaration[]>;
}

const indexes = new WeakMap<readonly Declaration[], ReadonlyMap<string, Declaration>>();

/** Finds what is declared at an address, in an index that is made once. */
export function findDeclaration(
  { declarations }: Pick<Manifest, "declarations">,
  address: string,
): Declaration | undefined {
  let index = indexes.get(declarations);
  if (!index) {
    index = new Map(declarations.map((declaration) => [declaration.address, declaration]));
    indexes.set(declarations, index);
  }
  return index.get(address);
}

/** A setting: a literal, or a source to resolve when needed. */
export type Setting = { readonly literal: string } | ValueSource;

/** Whether a setting is written as it is. */
export function isLiteral(setting: Setting): setting is { readonly literal: string } {
  return !("from" in setting);
}

/** How much apply changes without being forced to. */
export interface Thresholds {
  /** The largest share of the managed objects that may be changed or removed. */
  readonly maxPercent: number;
  /** The smallest number of managed objects for which the share counts. */
  readonly minObjects: number;
}

/** How to reach the service, and what it knows beyond the document. */
export interface ServiceSettings {
  /** What the deployment offers beyond the document. Absent: nothing. */
  readonly profile?: ProfileName | undefined;
  /** Default: the environment variable AVATAROPS_BASE_URL. */
  readonly baseUrl: Setting;
  /** Default: the environment variable AVATAROPS_API_KEY. */
  readonly apiKey: ValueSource;
  /** Values of fields that it accepts in addition to the documented ones. */
  readonly allowedValues: AllowedValues;
  /** Default: 100 and 1000. */
  readonly successCodes?: readonly number[] | undefined;
  /** Default: false. */
  readonly ignoreListCounts?: boolean | undefined;
  /** The avatar for sandbox sessions (§8). */
  readonly sandboxAvatar?: string | undefined;
  /** The unit of sessions' durations, which is not documented (§2.7). Default: seconds. */
  readonly sessionDurationUnit?: DurationUnit | undefined;
  readonly creditPrice?: CreditPrice | undefined;
  readonly concurrency?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** How long apply waits until no session is active before it changes what sessions use. Absent: not at all. */
  readonly waitForIdleMs?: number | undefined;
}

/** Who is told of what happens, by a webhook. */
export interface NoticeTarget {
  /** The URL usually contains a credential. */
  readonly url: ValueSource;
  /** The key that signs what is sent; absent: it is not signed. */
  readonly secret?: ValueSource | undefined;
  readonly format: NoticeFormat;
  /** Absent: all. */
  readonly events?: readonly NoticeEvent[] | undefined;
}

/** What pull requests show, and who must approve them. */
export interface ReviewSettings {
  /** How many people must approve; 0: nobody. */
  readonly requireApproval: number;
  /** When there is a comment; `changes`: not where nothing changes. */
  readonly comment: "always" | "changes";
}

export interface Policies {
  readonly rules: readonly PolicyRule[];
  /** The files of functions, relative to the root. */
  readonly functions: readonly PolicyFunction[];
}

export interface PolicyRule {
  readonly rule: RuleName;
  readonly severity: "error" | "warning";
  readonly options: Readonly<Record<string, unknown>>;
  /** Patterns of the addresses that are judged; absent: all. */
  readonly only?: readonly string[] | undefined;
  readonly except: readonly PolicyException[];
  readonly range?: SourceRange;
}

/** Objects that a rule does not hold for. */
export interface PolicyException {
  /** A pattern of addresses. */
  readonly address: string;
  readonly reason: string;
  readonly range: SourceRange;
}

export interface PolicyFunction {
  /** Relative to the root. */
  readonly file: string;
  readonly range: SourceRange;
}

export interface Declaration {
  /** `kind.key` */
  readonly address: string;
  /** Its ignored fields are those of `ignore_changes`. */
  readonly kind: Kind;
  readonly key: string;
  /** Neither deleted nor forgotten when it is no longer declared. */
  readonly protect?: boolean;
  /** What becomes of it when it is no longer declared; absent: as the manifest says for its kind. */
  readonly onRemoval?: RemovalPolicy;
  /** What becomes of the object that a new one has superseded. Default: it stays. */
  readonly onRotation?: RotationPolicy;
  /** For kinds with adopted identity. */
  readonly id?: string;
  /** Instead of the id, the name of a stock object, until the service is asked. */
  readonly stock?: string | undefined;
  /** The declared readable fields only. */
  readonly spec: Spec;
  /** The addresses that reference fields name, by field; their ids are not in `spec`. */
  readonly references?: Readonly<Record<string, string>>;
  /** The sources of the write-only fields. */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** The declared versions of write-only fields. */
  readonly versions?: Readonly<Record<string, string>>;
  /** The place of its key. */
  readonly range: SourceRange;
  /** The key of each declared field, where it is written. */
  readonly keys?: Readonly<Record<string, SourceRange>>;
  /** Where the text of each declared field is, for `pull`. */
  readonly origins: Readonly<Record<string, Origin>>;
}

/** A preset of `avatarops token`: the body of §4.5, with references instead of ids. */
export interface Preset {
  readonly key: string;
  /** In the service's spelling; without the ids that are references. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The address whose id belongs at each path of the body, e.g. `["avatar_persona", "voice_id"]`. */
  readonly references: readonly { readonly path: readonly string[]; readonly address: string }[];
  /** The sources of its values, which are not in `body`: each with its place there. */
  readonly sources?: readonly PlacedSource[];
  readonly range: SourceRange;
}

/** A value that is read when it is needed. */
export interface PlacedSource {
  /** Keys, and the numbers of list entries. */
  readonly path: readonly (string | number)[];
  readonly source: ValueSource;
}
