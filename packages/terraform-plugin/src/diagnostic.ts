/**
 * Location in a resource's configuration, outermost step first: an attribute name, a list index, or `key` for a map
 * element.
 */
export type Path = readonly (string | number | { readonly key: string })[];

/** Message for the user. Terraform shows the configuration line that `path` points to. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** Headline in a few words, without a full stop. */
  readonly summary: string;
  /** Full sentences that explain the problem and the next step. */
  readonly detail?: string;
  readonly path?: Path;
}

/** Collects diagnostics. A call with an error has failed, even if it returns a result. */
export interface Diagnostics {
  error(summary: string, detail?: string, path?: Path): void;
  warning(summary: string, detail?: string, path?: Path): void;
}
