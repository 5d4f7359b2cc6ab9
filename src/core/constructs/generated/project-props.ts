// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { PoliciesProps } from "../../manifest/index.js";
import type { ValueSource } from "../../secrets/index.js";
import type { CollectionDifferences } from "./differences.js";

/** The settings of a project. A file that another one includes has only `include`. */
export interface ProjectProps extends Settings {
  /**
   * More files of the project, or patterns (`*`, `?`, `**`): YAML, TypeScript, or Markdown with one object
   * each.
   */
  readonly include?: readonly string[] | undefined;
  /** Differences by environment, chosen with `--env`. */
  readonly environments?: Readonly<Record<string, EnvironmentProps>> | undefined;
}

/** What an environment may set, too. */
export interface Settings {
  /** How to reach the service. */
  readonly service?: ServiceProps | undefined;
  /**
   * The state: a file in the project folder, or the URL of a store that runners share. Default:
   * `.avatarops/state.json`.
   */
  readonly state?: string | undefined;
  /** What apply does about edits made elsewhere. Default: refuse. */
  readonly drift?: "refuse" | "overwrite" | undefined;
  /** What becomes of objects that leave the files and say nothing of it themselves, by kind. */
  readonly onRemoval?:
    | Readonly<Partial<Record<"contexts" | "secrets" | "llmConfigurations", "forget" | "delete">>>
    | undefined;
  /** Key for the fingerprints of secret values in the state; from a source. */
  readonly fingerprintKey?: ValueSource | undefined;
  /** Texts by name, for `{{name}}` in templates. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /**
   * Files and patterns, relative to the project folder, of the prompts that are templates: made of partials,
   * `{{> name}}`, and variables, `{{name}}`. A Markdown file of an object may also say so itself: `template:
   * true` in its front matter.
   */
  readonly templates?: readonly string[] | undefined;
  /** The folder of partials, relative to the project folder. Default: partials. */
  readonly partials?: string | undefined;
  /** Who is told of what happens, by webhooks. */
  readonly notify?: readonly NoticeTargetProps[] | undefined;
  /** Rules for texts, names and plans, by the rule's name. What breaks one is not applied. */
  readonly policies?: PoliciesProps | undefined;
  /** How much apply changes without `--force`. */
  readonly thresholds?: ThresholdsProps | undefined;
  /** What pull requests show, and who must approve them. */
  readonly reviews?: ReviewsProps | undefined;
}

/** Merged over the rest: objects by logical name, key by key; everything else is replaced. */
export interface EnvironmentProps extends Settings, CollectionDifferences {
  /**
   * The environments in which everything must be applied before it is applied in this one, such as
   * `[staging]`.
   */
  readonly needs?: readonly string[] | undefined;
}

/** How to reach the service. */
export interface ServiceProps {
  /** Address of the service. Default: `env("AVATAROPS_BASE_URL")`. */
  readonly baseUrl?: string | ValueSource | undefined;
  /** API key, from a source. Default: `env("AVATAROPS_API_KEY")`. */
  readonly apiKey?: ValueSource | undefined;
  /**
   * The deployment that baseUrl leads to, if it offers more than the document and avatarops knows it:
   * `liveavatar`. Default: none.
   */
  readonly profile?: "liveavatar" | undefined;
  /** Envelope codes that mean success. Default: 100 and 1000. */
  readonly successCodes?: readonly number[] | undefined;
  /** Ignore the `count` of lists, for services whose count is wrong. Default: false. */
  readonly ignoreListCounts?: boolean | undefined;
  /** Secret types that the service accepts in addition to the two documented ones. */
  readonly secretTypes?: readonly string[] | undefined;
  /** Id of the avatar that sandbox sessions use. */
  readonly sandboxAvatar?: string | undefined;
  /** The unit in which the service states durations of sessions. Default: seconds. */
  readonly sessionDurationUnit?: "seconds" | "milliseconds" | "minutes" | undefined;
  /**
   * What a credit costs, such as `{ amount: 0.12, currency: EUR }`: reports show money beside credits.
   * Default: they do not.
   */
  readonly creditPrice?: { readonly amount: number; readonly currency: string } | undefined;
  /** Maximum number of concurrent requests. */
  readonly concurrency?: number | undefined;
  /** Maximum number of requests started per second. */
  readonly requestsPerSecond?: number | undefined;
  /** Timeout of one request. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * How long apply waits until no session is active before it changes contexts that exist, such as `10m`;
   * `0s`: it does not. Default: it does not wait.
   */
  readonly waitForIdle?: string | undefined;
}

/** Who is told of what happens, by a webhook. */
export interface NoticeTargetProps {
  /** Where notices are posted to, from a source such as `env()`. */
  readonly url: ValueSource;
  /**
   * `standard`: the JSON document. `slack`, `teams`: a message for their incoming webhooks. Default:
   * standard.
   */
  readonly format?: "standard" | "slack" | "teams" | undefined;
  /**
   * What it gets, of `applied`, `failed`, `refused`, `drifted`, `rotation_pending`, `budget_exceeded`,
   * `no_run`. Default: all.
   */
  readonly events?:
    | readonly (
        | "applied"
        | "failed"
        | "refused"
        | "drifted"
        | "rotation_pending"
        | "budget_exceeded"
        | "no_run"
      )[]
    | undefined;
  /** Key that signs what is sent, `whsec_…`, from a source. Default: it is not signed. */
  readonly secret?: ValueSource | undefined;
}

/** What pull requests show, and who must approve them. */
export interface ReviewsProps {
  /**
   * How many people other than the author must have approved the last commit of a pull request before `apply
   * --reviewed` applies it. Default: 0.
   */
  readonly requireApproval?: number | undefined;
  /**
   * `changes`: a pull request that changes nothing gets no comment, and one that it has says so. Default:
   * always.
   */
  readonly comment?: "always" | "changes" | undefined;
}

/** How much apply changes without `--force`. */
export interface ThresholdsProps {
  /**
   * The largest share of the managed objects that apply changes or removes without `--force`. Default: 30.
   */
  readonly maxPercent?: number | undefined;
  /** The smallest number of managed objects for which the share counts. Default: 10. */
  readonly minObjects?: number | undefined;
}
