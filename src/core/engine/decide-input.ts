import type { Observed, Rotation } from "./observation.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/** Input for deciding the change to one declared object. */
export interface DecideInput {
  readonly tracked: TrackedDeclaration;
  readonly observed: Observed;
  readonly rotation?: Rotation | undefined;
  /** Ids of listed objects with the declared name. */
  readonly known: readonly string[];
  /** Whether the declared id differs from the recorded one. */
  readonly reidentified: boolean;
  /** Whether the user accepts that a create may produce a duplicate. */
  readonly acceptDuplicate: boolean;
  /** Fields (`ADDRESS.FIELD`) whose text in the files already includes every edit made elsewhere. */
  readonly merged?: ReadonlySet<string> | undefined;
}
