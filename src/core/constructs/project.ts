import { RootConstruct } from "constructs";
import type { DurationUnit, PoliciesProps, ValueSettings } from "../manifest/index.js";
import type { ValueSource } from "../secrets/index.js";
import { callSite } from "./call-site.js";
import { declare, noteMaking } from "./declared.js";
import type { CollectionDifferences } from "./generated/differences.js";
import { currentLoading } from "./loading.js";

/** The settings of a project. A file that another one includes has only `include`. */
export interface ProjectProps extends Settings {
  /** More files of the project, or patterns of files, relative to the project folder: YAML, Markdown, TypeScript. */
  readonly include?: readonly string[] | undefined;
  /** Files and patterns that may be prompts or included although their names suggest keys. */
  readonly allowFiles?: readonly string[] | undefined;
  /** Differences by environment, chosen with `--env`. */
  readonly environments?: Readonly<Record<string, EnvironmentProps>> | undefined;
}

/** What an environment may set, too. */
export interface Settings {
  /** How to reach the service. */
  readonly service?: ServiceProps | undefined;
  /** The state: a file in the project folder, or the URL of a store. Default: `.avatarops/state.json`. */
  readonly state?: string | undefined;
  /** What apply does about edits made elsewhere. Default: refuse. */
  readonly drift?: "refuse" | "overwrite" | undefined;
  /** How much apply changes without `--force`. */
  readonly thresholds?: ThresholdsProps | undefined;
  /**
   * The kinds whose objects a plan counts if they are in the account and no file declares them; `[]`: none. Default: all.
   */
  readonly reportUndeclared?: readonly Exclude<keyof CollectionDifferences, "sessions">[] | undefined;
  /** Key for the fingerprints of secret values in the state. */
  readonly fingerprintKey?: ValueSource | undefined;
  /** Rules for texts, names and plans, by the name of the rule: what breaks one is not applied. */
  readonly policies?: PoliciesProps | undefined;
}

/** How to reach the service. */
export interface ServiceProps extends ValueSettingProps {
  /** Address of the service. Default: `env("AVATAROPS_BASE_URL")`. */
  readonly baseUrl?: string | ValueSource | undefined;
  /** API key. Default: `env("AVATAROPS_API_KEY")`. */
  readonly apiKey?: ValueSource | undefined;
  /** Envelope codes that mean success. Default: 100 and 1000. */
  readonly successCodes?: readonly number[] | undefined;
  /** Id of the avatar that sandbox sessions use. */
  readonly sandboxAvatar?: string | undefined;
  /** The unit in which the service states durations of sessions. Default: seconds. */
  readonly sessionDurationUnit?: DurationUnit | undefined;
  /** Maximum number of concurrent requests. */
  readonly concurrency?: number | undefined;
  /** Maximum number of requests started per second. */
  readonly requestsPerSecond?: number | undefined;
  /** Timeout of one request. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * How long apply waits until no session is active before it changes contexts that exist: `"10m"`, or `true` for
   * that. Default: it does not wait.
   */
  readonly waitForIdle?: string | boolean | undefined;
}

/** How much apply changes without `--force`. */
export interface ThresholdProps {
  /** The largest share of the managed objects that apply changes or removes without `--force`. Default: 30. */
  readonly maxPercent?: number | undefined;
  /** The smallest number of managed objects for which the share counts. Default: 10. */
  readonly minObjects?: number | undefined;
}

/** The numbers of all kinds together; a kind with numbers of its own, by its collection, is counted apart. */
export type ThresholdsProps = ThresholdProps & {
  readonly [Collection in Exclude<keyof CollectionDifferences, "sessions">]?: ThresholdProps | undefined;
};

/** The settings that add to the values of a field. */
type ValueSettingProps = { readonly [Name in keyof ValueSettings]?: ValueSettings[Name] | undefined };

/** Merged over the rest: objects by logical name, key by key; everything else is replaced. */
export interface EnvironmentProps extends Settings, CollectionDifferences {}

/** The root of all constructs of a file, which is its default export. */
export class Project extends RootConstruct {
  /** The environment chosen with `--env`. */
  readonly environment: string | undefined = currentLoading()?.environment;

  constructor(props: ProjectProps = {}) {
    super();
    noteMaking(this);
    declare(this, { version: 1, what: "project", id: "", props, madeAt: callSite(new.target) });
  }
}
