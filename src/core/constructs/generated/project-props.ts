// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { PoliciesProps } from "../../manifest/index.js";
import type { ValueSource } from "../../secrets/index.js";
import type { CollectionDifferences } from "./differences.js";

/** Settings of a project. An included file can have only `include`. */
export interface ProjectProps extends Settings {
  /**
   * More project files, or patterns (`*`, `?`, `**`): YAML, TypeScript, or Markdown with one object per file.
   */
  readonly include?: readonly string[] | undefined;
  /** Per-environment overrides, selected with `--env`. */
  readonly environments?: Readonly<Record<string, EnvironmentProps>> | undefined;
}

/** Settings that an environment can override. */
export interface Settings {
  /** Connection settings for the service. */
  readonly service?: ServiceProps | undefined;
  /**
   * State location: a file in the project folder, or the URL of a shared store. Default:
   * `.avatarops/state.json`.
   */
  readonly state?: string | undefined;
  /** Whether apply refuses or overwrites edits made in the account. Default: refuse. */
  readonly drift?: "refuse" | "overwrite" | undefined;
  /** Default `onRemoval` of objects, by kind. */
  readonly onRemoval?:
    | Readonly<Partial<Record<"contexts" | "secrets" | "llmConfigurations", "forget" | "delete">>>
    | undefined;
  /** Key for secret fingerprints in the state, from a secret source. */
  readonly fingerprintKey?: ValueSource | undefined;
  /** Template variables by name, used as `{{name}}`. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /**
   * Prompts that are templates with partials (`{{> name}}`) and variables (`{{name}}`): files or patterns,
   * relative to the project folder. A Markdown file can also set `template: true` in its front matter.
   */
  readonly templates?: readonly string[] | undefined;
  /** Partials folder, relative to the project folder. Default: partials. */
  readonly partials?: string | undefined;
  /** Webhooks that receive notices. */
  readonly notify?: readonly NoticeTargetProps[] | undefined;
  /**
   * Rules for texts, names and plans, by rule name. Apply refuses plans that violate a rule with severity
   * `error`.
   */
  readonly policies?: PoliciesProps | undefined;
  /** Limits on applies without `--allow threshold`. */
  readonly thresholds?: ThresholdsProps | undefined;
  /** Comments on pull requests, and required approvals. */
  readonly reviews?: ReviewsProps | undefined;
}

/** Overrides by environment. Objects are merged by logical name and key; other values are replaced. */
export interface EnvironmentProps extends Settings, CollectionDifferences {
  /** Environments that must get a change before this one, such as `[staging]`. */
  readonly needs?: readonly string[] | undefined;
}

/** Connection settings for the service. */
export interface ServiceProps {
  /** Base URL of the service. Default: `env("AVATAROPS_BASE_URL")`. */
  readonly baseUrl?: string | ValueSource | undefined;
  /** API key, from a secret source. Default: `env("AVATAROPS_API_KEY")`. */
  readonly apiKey?: ValueSource | undefined;
  /**
   * Profile with the extra features of the deployment behind `baseUrl`, such as `liveavatar`. Default: none.
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
  /** Unit of the service's session durations. Default: seconds. */
  readonly sessionDurationUnit?: "seconds" | "milliseconds" | "minutes" | undefined;
  /**
   * Price of a credit, such as `{ amount: 0.12, currency: EUR }`, so that reports show costs. Default: none.
   */
  readonly creditPrice?: { readonly amount: number; readonly currency: string } | undefined;
  /** Maximum number of concurrent requests. */
  readonly concurrency?: number | undefined;
  /** Maximum number of requests started per second. */
  readonly requestsPerSecond?: number | undefined;
  /** Timeout for each request. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * Maximum time that apply waits for active sessions to end before it changes existing contexts, such as
   * `10m`. Default: `0s`, no wait.
   */
  readonly waitForIdle?: string | undefined;
}

/** A webhook that receives notices. */
export interface NoticeTargetProps {
  /** URL that receives the notices, from a secret source such as `env()`. */
  readonly url: ValueSource;
  /**
   * `standard`: the JSON document. `slack`, `teams`: a message for their incoming webhooks. Default:
   * standard.
   */
  readonly format?: "standard" | "slack" | "teams" | undefined;
  /**
   * The events to send: `applied`, `failed`, `refused`, `drifted`, `rotation_pending`, `budget_exceeded`,
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
  /** Key that signs the notices, `whsec_…`, from a secret source. Default: unsigned. */
  readonly secret?: ValueSource | undefined;
}

/** Comments on pull requests, and required approvals. */
export interface ReviewsProps {
  /**
   * Number of people other than the author who must approve the last commit of a pull request before `apply
   * --reviewed` applies it. Default: 0.
   */
  readonly requireApproval?: number | undefined;
  /**
   * With `changes`, a pull request that changes nothing gets no new comment, but its existing comment is
   * updated. Default: always.
   */
  readonly comment?: "always" | "changes" | undefined;
}

/** Limits on applies without `--allow threshold`. */
export interface ThresholdsProps {
  /**
   * Maximum percentage of the managed objects that one apply may change or remove without `--allow
   * threshold`. Default: 30.
   */
  readonly maxPercent?: number | undefined;
  /** Minimum number of managed objects for `maxPercent` to apply. Default: 10. */
  readonly minObjects?: number | undefined;
}
