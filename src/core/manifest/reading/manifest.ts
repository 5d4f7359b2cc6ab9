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
import type { NodeOrigin } from "../tree/node.js";
import type { EnvironmentSettings } from "./environments.js";

/** The complete, valid desired state, with the source range of each part. */
export interface Manifest {
  /** Absolute path of the project folder, which contains the main file. */
  readonly root: string;
  /** The main file, relative to the root. */
  readonly file: string;
  /** Every file read, relative to the root, in the order of reading. */
  readonly files: readonly string[];
  /** The patterns of all `include`s, relative to the root. */
  readonly includes: readonly string[];
  /** The chosen environment. */
  readonly environment?: string | undefined;
  /** All declared environments, by name. */
  readonly environments: ReadonlyMap<string, EnvironmentSettings>;
  readonly service: ServiceSettings;
  /** The state: a file, relative to the root, or the URL of a store. */
  readonly state: string;
  /** Whether apply refuses or overwrites edits made elsewhere. */
  readonly drift: "refuse" | "overwrite";
  readonly thresholds: Thresholds;
  /** Policy for created objects that are no longer declared, by the name of their kind. */
  readonly onRemoval?: Readonly<Record<string, RemovalPolicy>> | undefined;
  readonly reviews: ReviewSettings;
  /** Key for secret fingerprints, without which the state does not allow guessing. */
  readonly fingerprintKey?: ValueSource | undefined;
  /** The webhooks that receive notices. */
  readonly notify: readonly NoticeTarget[];
  /** Rules for the declared objects and every plan. */
  readonly policies?: Policies | undefined;
  /** The kinds of sources that the project defines, by name. */
  readonly sourceKinds?: ReadonlyMap<string, SourceKind>;
  /** In the order of kinds, then in the order declared. */
  readonly declarations: readonly Declaration[];
  readonly presets: readonly Preset[];
  /** Texts by name, for templates. */
  readonly variables: Readonly<Record<string, string>>;
  /** Declarations of other environments, by name; empty without `LoadOptions.elsewhere`. */
  readonly elsewhere: ReadonlyMap<string, readonly Declaration[]>;
}

const indexes = new WeakMap<readonly Declaration[], ReadonlyMap<string, Declaration>>();

/** Finds the declaration at an address, in an index that is built once. */
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

export function isLiteral(setting: Setting): setting is { readonly literal: string } {
  return !("from" in setting);
}

/** Limits of an apply without `--force`. */
export interface Thresholds {
  /** Maximum share of the managed objects that may be changed or removed. */
  readonly maxPercent: number;
  /** Minimum number of managed objects for the share to apply. */
  readonly minObjects: number;
}

/** Connection settings, and extensions of the service beyond the document. */
export interface ServiceSettings {
  /** The deployment's extensions beyond the document. Absent: none. */
  readonly profile?: ProfileName | undefined;
  /** Default: the environment variable AVATAROPS_BASE_URL. */
  readonly baseUrl: Setting;
  /** Default: the environment variable AVATAROPS_API_KEY. */
  readonly apiKey: ValueSource;
  /** Values that it accepts in addition to the documented ones, by field. */
  readonly allowedValues: AllowedValues;
  /** Default: 100 and 1000. */
  readonly successCodes?: readonly number[] | undefined;
  /** Default: false. */
  readonly ignoreListCounts?: boolean | undefined;
  /** The avatar for sandbox sessions (§8). */
  readonly sandboxAvatar?: string | undefined;
  /** The unit of session durations, which is undocumented (§2.7). Default: seconds. */
  readonly sessionDurationUnit?: DurationUnit | undefined;
  readonly creditPrice?: CreditPrice | undefined;
  readonly concurrency?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Maximum wait for active sessions to end before an apply. Absent: no wait. */
  readonly waitForIdleMs?: number | undefined;
}

/** A webhook that receives notices. */
export interface NoticeTarget {
  /** The URL usually contains a credential. */
  readonly url: ValueSource;
  /** The key that signs notices. Absent: unsigned. */
  readonly secret?: ValueSource | undefined;
  readonly format: NoticeFormat;
  /** Absent: all. */
  readonly events?: readonly NoticeEvent[] | undefined;
}

/** Comments on pull requests, and required approvals. */
export interface ReviewSettings {
  /** Number of people who must approve. */
  readonly requireApproval: number;
  /** When to comment; `changes`: only if an object changes. */
  readonly comment: "always" | "changes";
}

export interface Policies {
  readonly rules: readonly PolicyRule[];
  readonly functions: readonly PolicyFunction[];
}

export interface PolicyRule {
  readonly rule: RuleName;
  readonly severity: "error" | "warning";
  readonly options: Readonly<Record<string, unknown>>;
  /** Patterns of the addresses to check. Absent: all. */
  readonly only?: readonly string[] | undefined;
  readonly except: readonly PolicyException[];
  readonly range?: SourceRange;
}

/** Objects that are exempt from a rule. */
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
  /** The kind, without the fields in `ignore_changes`. */
  readonly kind: Kind;
  readonly key: string;
  /** Whether to keep it, neither deleted nor forgotten, when it is no longer declared. */
  readonly protect?: boolean;
  /** Policy for when it is no longer declared. Default: the manifest's for its kind. */
  readonly onRemoval?: RemovalPolicy;
  /** Policy for the superseded object. Default: it stays. */
  readonly onRotation?: RotationPolicy;
  /** For kinds with adopted identity. */
  readonly id?: string;
  /** The name of a stock object, until its id is looked up. */
  readonly stock?: string | undefined;
  /** The declared readable fields only. */
  readonly spec: Spec;
  /** The addresses in reference fields, by field; their ids are not in `spec`. */
  readonly references?: Readonly<Record<string, string>>;
  /** The sources of the write-only fields. */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** The declared versions of write-only fields. */
  readonly versions?: Readonly<Record<string, string>>;
  /** The range of its key. */
  readonly range: SourceRange;
  /** The range of each declared field's key. */
  readonly keys?: Readonly<Record<string, SourceRange>>;
  /** The origin of each declared field's text, for `pull`. */
  readonly origins: Readonly<Record<string, NodeOrigin>>;
}

/** A preset of `avatarops token`: the body of §4.5 with references instead of ids. */
export interface Preset {
  readonly key: string;
  /** In the service's spelling, without ids that are references. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The address whose id belongs at each path of the body, e.g. `["avatar_persona", "voice_id"]`. */
  readonly references: readonly { readonly path: readonly string[]; readonly address: string }[];
  /** The sources of values that are not in `body`, each with its path there. */
  readonly sources?: readonly PlacedSource[];
  readonly range: SourceRange;
}

/** A source and the path of its value. */
export interface PlacedSource {
  /** Keys and list indexes. */
  readonly path: readonly (string | number)[];
  readonly source: ValueSource;
}
