import type { Observed, Rotation } from "./observation.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/** Input for deciding the change to one declared object. */
export interface DecideInput {
  readonly tracked: TrackedDeclaration;
  readonly observed: Observed;
  readonly rotation?: Rotation | undefined;
  /** Ids of listed objects with the declared name. */
  readonly known: readonly string[];
  /** Whether state and declaration have different ids. */
  readonly reidentified: boolean;
  /** Whether the user accepts a create that may make a duplicate. */
  readonly acceptDuplicate: boolean;
  /** Texts (`ADDRESS.FIELD`) whose files already contain every edit made elsewhere. */
  readonly merged?: ReadonlySet<string> | undefined;
}
