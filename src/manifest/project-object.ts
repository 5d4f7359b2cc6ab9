import type { Kind, Spec } from "../kinds/index.js";
import type { ValueSource } from "../secrets/index.js";

/** An object to declare. */
export interface ProjectObject {
  readonly kind: Kind;
  /** Logical name. Default: made from what people call it. */
  readonly key?: string;
  /** Of kinds whose identity is given. */
  readonly id?: string;
  readonly spec: Spec;
  readonly sources?: Readonly<Record<string, ValueSource>>;
}

/** An object with the logical name it gets. */
export type NamedObject = ProjectObject & { readonly key: string };
