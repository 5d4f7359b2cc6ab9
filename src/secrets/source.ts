/** Where a value comes from. Contains no value. */
export type ValueSource =
  | { readonly from: "env"; readonly name: string }
  /** `path` is relative to the project folder, and inside it. */
  | { readonly from: "file"; readonly path: string }
  /** An argument list, run without a shell. */
  | { readonly from: "exec"; readonly command: readonly string[]; readonly timeoutMs?: number };

/** The type of a source, by its `from`. */
export type SourceOf<From extends ValueSource["from"]> = Extract<ValueSource, { from: From }>;
