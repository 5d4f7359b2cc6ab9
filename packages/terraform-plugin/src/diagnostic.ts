/**
 * Location in a resource's configuration. Consists of attribute names and list positions, outermost first, and `key`
 * for an element of a map.
 */
export type Path = readonly (string | number | { readonly key: string })[];

/** Message for the user. Terraform shows the line of the configuration at `path`. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** Headline in a few words, without a full stop. */
  readonly summary: string;
  /** Complete sentences with the problem and the next step. */
  readonly detail?: string;
  readonly path?: Path;
}

/** Collects diagnostics. A call with an error has failed, even if it returns a result. */
export interface Diagnostics {
  error(summary: string, detail?: string, path?: Path): void;
  warning(summary: string, detail?: string, path?: Path): void;
}
