/**
 * A project's presets, declared by the output of `avatarops generate types`. Without this declaration, any preset and
 * any variables are accepted.
 */
// biome-ignore lint/suspicious/noEmptyInterface: Applications add members by declaration merging, which a type alias does not allow.
export interface PresetTypes {}

/** The placeholders of each context in a project, declared by the output of `avatarops generate types`. */
// biome-ignore lint/suspicious/noEmptyInterface: Applications add members by declaration merging, which a type alias does not allow.
export interface ContextTypes {}

export type PresetName = keyof PresetTypes extends never ? string : keyof PresetTypes & string;

/** The part of a preset's request that the caller provides. */
type PresetInput<Name extends PresetName> = Name extends keyof PresetTypes
  ? PresetTypes[Name]
  : { readonly dynamicVariables?: Readonly<Record<string, string>> | undefined };

/** The options for a request with one preset. */
export type RequestFor<Name extends PresetName> = MintRequest & PresetInput<Name>;

/** Arguments for requesting a token. Optional if the preset's context has no placeholders. */
export type RequestArguments<Name extends PresetName> =
  Record<never, never> extends PresetInput<Name> ? [request?: RequestFor<Name>] : [request: RequestFor<Name>];

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

export interface MintRequest {
  /**
   * Additional fields, named as in the service's API and sent unchanged. They override the preset's `extra`. Objects
   * are merged key by key.
   */
  readonly extra?: { readonly [key: string]: Json | undefined } | undefined;
  /**
   * Whether to use sandbox mode: no credits, a predefined avatar, about one minute (§8). Default: the preset's setting.
   */
  readonly sandbox?: boolean | undefined;
  /** Ends the wait immediately. A request already sent still completes. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Output of `avatarops generate presets`: the path to the file, which is read once, or its content. Default: the path
   * in AVATAROPS_PRESETS, otherwise `avatarops.presets.json` in the working directory.
   */
  readonly presets?: string | URL | object | undefined;
  /** API key of the account. Default: AVATAROPS_API_KEY. */
  readonly apiKey?: string | undefined;
  /** Service base URL. Default: AVATAROPS_BASE_URL, otherwise the base URL in the presets. */
  readonly baseUrl?: string | undefined;
}
