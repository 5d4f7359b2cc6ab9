import type { Kind, Spec } from "../../kinds/index.js";
import type { ValueSource } from "../../secrets/index.js";

/** An object to declare. */
export interface ProjectObject {
  readonly kind: Kind;
  /** Logical name. Default: derived from its label. */
  readonly key?: string;
  /** For kinds with adopted identity. */
  readonly id?: string;
  readonly spec: Spec;
  readonly sources?: Readonly<Record<string, ValueSource>>;
}

/** An object with its logical name. */
export type NamedObject = ProjectObject & { readonly key: string };
