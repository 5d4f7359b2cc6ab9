import type { Observed, Rotation } from "./observation.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/** What the change of one declared object is decided by. */
export interface DecideInput {
  readonly tracked: TrackedDeclaration;
  readonly observed: Observed;
  readonly rotation?: Rotation | undefined;
  /** Ids of listed objects with the declared name. */
  readonly known: readonly string[];
  /** The state has another id for the address than the declaration. */
  readonly reidentified: boolean;
  /** The user accepts that a create may make a second object. */
  readonly acceptDuplicate: boolean;
  /** Texts of the files that have each edit made elsewhere. */
  readonly merged?: ReadonlySet<string> | undefined;
}
