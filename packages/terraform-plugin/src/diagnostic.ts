/**
 * Where in a resource's configuration: attribute names and positions in lists, outermost first; `key` for an element
 * of a map.
 */
export type Path = readonly (string | number | { readonly key: string })[];

/** A message for the user, with the line of the configuration that `path` leads to. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** A few words, without a full stop: the headline. */
  readonly summary: string;
  /** Whole sentences: what, and what to do next. */
  readonly detail?: string;
  readonly path?: Path;
}

/** Collects diagnostics. A call with an error has failed, whatever else it returns. */
export interface Diagnostics {
  error(summary: string, detail?: string, path?: Path): void;
  warning(summary: string, detail?: string, path?: Path): void;
}
