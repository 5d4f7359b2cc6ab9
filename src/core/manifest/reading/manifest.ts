import type { Diagnostic, SourceRange } from "../../../base/diagnostics/index.js";
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
import type { ReadFile } from "../tree/project-files.js";
import type { EnvironmentSettings } from "./environments.js";

/** The complete, valid desired state, with the source range of each part. */
export interface Manifest {
  /** Absolute path to the project folder, which contains the main file. */
  readonly root: string;
  /** The main file, relative to the root. */
  readonly file: string;
  /** Files read, relative to the root, in the order they were read. */
  readonly files: readonly string[];
  /** TypeScript and JSON modules in the project folder that definitions import, relative to the root. */
  readonly modules?: readonly string[];
  /** Patterns of all `include` settings, relative to the root. */
  readonly includes: readonly string[];
  /** Environment selected with `--env`. */
  readonly environment?: string | undefined;
  /** All declared environments, by name. */
  readonly environments: ReadonlyMap<string, EnvironmentSettings>;
  readonly service: ServiceSettings;
  /** Location of the state: a file relative to the root, or a store URL. */
  readonly state: string;
  /** Whether apply skips objects that were edited in the account, or overwrites the edits. */
  readonly drift: "refuse" | "overwrite";
  readonly thresholds: Thresholds;
  /** Removal policies by kind name: whether to forget or delete created objects that were removed from the files. */
  readonly onRemoval?: Readonly<Record<string, RemovalPolicy>> | undefined;
  readonly reviews: ReviewSettings;
  /** Key for secret fingerprints, so that values cannot be guessed from the state alone. */
  readonly fingerprintKey?: ValueSource | undefined;
  /** The webhooks that receive notices. */
  readonly notify: readonly NoticeTarget[];
  /** Rules for the declared objects and every plan. */
  readonly policies?: Policies | undefined;
  /** Secret sources that the project defines, by name. */
  readonly sourceKinds?: ReadonlyMap<string, SourceKind>;
  /** Declared objects, by kind and then in declaration order. */
  readonly declarations: readonly Declaration[];
  readonly presets: readonly Preset[];
  /** Patterns of the files that are templates, relative to the root. */
  readonly templates: readonly string[];
  /** Template variables: strings by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Declarations of other environments, by environment name. Empty without `LoadOptions.elsewhere`. */
  readonly elsewhere: ReadonlyMap<string, readonly Declaration[]>;
  /** Loads the project again. Set only with `LoadOptions.elsewhere`, and only if the project contains code. */
  readonly reload?: Reload | undefined;
}

/** Loads a project for an environment, with other file contents. Default: the contents on disk. */
export type Reload = (
  environment: string | undefined,
  readFile?: ReadFile,
) => Promise<{ readonly manifest?: Manifest | undefined; readonly diagnostics: readonly Diagnostic[] }>;

const indexes = new WeakMap<readonly Declaration[], ReadonlyMap<string, Declaration>>();

/** Finds a declaration by address. Builds the index only once. */
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

/** A literal, or a source that is resolved on demand. */
export type Setting = { readonly literal: string } | ValueSource;

export function isLiteral(setting: Setting): setting is { readonly literal: string } {
  return !("from" in setting);
}

/** Limits for an apply without `--allow threshold`. */
export interface Thresholds {
  /** Maximum share of managed objects that may be changed or removed, in percent. */
  readonly maxPercent: number;
  /** Minimum number of managed objects for `maxPercent` to apply. */
  readonly minObjects: number;
}

/** Connection settings, and facts about the service that its documentation does not cover. */
export interface ServiceSettings {
  /** The deployment's profile, if it has extra features. Default: none. */
  readonly profile?: ProfileName | undefined;
  /** Service base URL. Default: the environment variable AVATAROPS_BASE_URL. */
  readonly baseUrl: Setting;
  /** Service API key. Default: the environment variable AVATAROPS_API_KEY. */
  readonly apiKey: ValueSource;
  /** Values that the service accepts in addition to the documented ones, by setting name. */
  readonly allowedValues: AllowedValues;
  /** Envelope codes that mean success. Default: 100 and 1000. */
  readonly successCodes?: readonly number[] | undefined;
  /** Whether to ignore the `count` of lists. Default: false. */
  readonly ignoreListCounts?: boolean | undefined;
  /** The avatar for sandbox sessions (§8). */
  readonly sandboxAvatar?: string | undefined;
  /** The session duration unit, which is undocumented (§2.7). Default: seconds. */
  readonly sessionDurationUnit?: DurationUnit | undefined;
  readonly creditPrice?: CreditPrice | undefined;
  readonly concurrency?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Maximum time to wait for active sessions to end before an apply. Default: no wait. */
  readonly waitForIdleMs?: number | undefined;
}

/** A webhook that receives notices. */
export interface NoticeTarget {
  /** Webhook URL, which usually contains a credential. */
  readonly url: ValueSource;
  /** Key that signs notices. Default: unsigned. */
  readonly secret?: ValueSource | undefined;
  readonly format: NoticeFormat;
  /** Events to send to the webhook. Default: all. */
  readonly events?: readonly NoticeEvent[] | undefined;
}

/** Comments on pull requests, and required approvals. */
export interface ReviewSettings {
  /** Number of people who must approve. */
  readonly requireApproval: number;
  /** Which plans to comment on. `changes` skips plans that change no object. */
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
  /** Objects to check. Default: all. */
  readonly only?: readonly AddressPattern[] | undefined;
  readonly except: readonly PolicyException[];
  readonly range?: SourceRange;
}

/** An address, or a pattern with `*`. */
export interface AddressPattern {
  readonly address: string;
  readonly range: SourceRange;
}

/** Objects that are exempt from a rule. */
export interface PolicyException extends AddressPattern {
  readonly reason: string;
}

export interface PolicyFunction {
  /** File path relative to the root. */
  readonly file: string;
  readonly range: SourceRange;
}

export interface Declaration {
  /** `kind.key` */
  readonly address: string;
  /** Kind, with the fields in `ignore_changes` marked as ignored. */
  readonly kind: Kind;
  readonly key: string;
  /** Whether the object stays managed after its declaration is removed. If not, it is deleted or forgotten. */
  readonly protect?: boolean;
  /** Whether to forget or delete the object when it is removed from the files. Default: the kind's `onRemoval` in the manifest. */
  readonly onRemoval?: RemovalPolicy;
  /** Whether to keep or delete the superseded object. Default: keep. */
  readonly onRotation?: RotationPolicy;
  /** Id in the account, for kinds that are adopted by id. */
  readonly id?: string;
  /** Name of a stock object whose id has not been looked up yet. */
  readonly stock?: string | undefined;
  /** Declared readable fields. */
  readonly spec: Spec;
  /** Addresses of referenced objects, by field. Their ids are not in `spec`. */
  readonly references?: Readonly<Record<string, string>>;
  /** Sources of write-only fields, by field. */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** Declared versions of write-only fields, by field. */
  readonly versions?: Readonly<Record<string, string>>;
  /** Range of the object's key. */
  readonly range: SourceRange;
  /** Ranges of the declared fields' keys, by field. */
  readonly keys?: Readonly<Record<string, SourceRange>>;
  /** Where the text of each declared field comes from, for `pull`. */
  readonly origins: Readonly<Record<string, NodeOrigin>>;
}

/** A preset for `avatarops token`: a request body (§4.5) with references instead of ids. */
export interface Preset {
  readonly key: string;
  /** Request body in the service's spelling, without the ids of references. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Addresses whose ids belong in the body, each with its path, such as `["avatar_persona", "voice_id"]`. */
  readonly references: readonly { readonly path: readonly string[]; readonly address: string }[];
  /** Sources of values that are missing from `body`, each with its path. */
  readonly sources?: readonly PresetSource[];
  readonly range: SourceRange;
}

/** A source and the path to its value. */
export interface PresetSource {
  /** Keys and list indexes. */
  readonly path: readonly (string | number)[];
  readonly source: ValueSource;
}
