/**
 * The presets of a project, in types. Filled by what `avatarops generate types` prints; empty without it: then every preset
 * is taken, with any variables.
 */
// biome-ignore lint/suspicious/noEmptyInterface: Applications add members by declaration merging, which a type alias does not allow.
export interface PresetTypes {}

/** The placeholders of each context of a project, in types. Filled by what `avatarops generate types` prints. */
// biome-ignore lint/suspicious/noEmptyInterface: Applications add members by declaration merging, which a type alias does not allow.
export interface ContextTypes {}

export type PresetName = keyof PresetTypes extends never ? string : keyof PresetTypes & string;

/** What one preset wants of the caller. */
type Wanted<Name extends PresetName> = Name extends keyof PresetTypes
  ? PresetTypes[Name]
  : { readonly dynamicVariables?: Readonly<Record<string, string>> | undefined };

/** What a call says of one preset, and how it is made. */
export type RequestFor<Name extends PresetName> = MintRequest & Wanted<Name>;

/** Nothing is required of a preset whose context has no placeholders. */
export type RequestArguments<Name extends PresetName> =
  Record<never, never> extends Wanted<Name> ? [request?: RequestFor<Name>] : [request: RequestFor<Name>];

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

export interface MintRequest {
  /**
   * What the service takes in addition to the interface, by its own keys: sent as it stands, over `extra` of the preset,
   * objects key by key.
   */
  readonly extra?: { readonly [key: string]: Json | undefined } | undefined;
  /** Sandbox mode: no credits, one predefined avatar, about a minute (§8). Default: as the preset says. */
  readonly sandbox?: boolean | undefined;
  /** Ends the wait at once. A request that is being sent is finished all the same. */
  readonly signal?: AbortSignal | undefined;
  /**
   * What `avatarops generate presets` printed: the path of the file, read once, or its content. Default: the path in
   * AVATAROPS_PRESETS, else `avatarops.presets.json` in the working directory.
   */
  readonly presets?: string | URL | object | undefined;
  /** Default: AVATAROPS_API_KEY. */
  readonly apiKey?: string | undefined;
  /** Default: AVATAROPS_BASE_URL, else the address that the presets were printed for. */
  readonly baseUrl?: string | undefined;
}
