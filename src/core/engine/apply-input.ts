import type { System } from "../../base/system/index.js";
import type { Service } from "../api/index.js";
import type { Listing } from "../kinds/index.js";
import type { Manifest } from "../manifest/index.js";
import type { SourceEnvironment } from "../secrets/index.js";
import type { StateWriter } from "../state/index.js";
import type { ApplyEvent } from "./outcome.js";
import type { Plan } from "./plan-types.js";

export interface ApplyInput {
  readonly plan: Plan;
  /** Desired state. Used only for the sources of write-only values. */
  readonly manifest: Manifest;
  /** State whose lock this run owns. */
  readonly session: StateWriter;
  readonly service: Service;
  readonly sources: SourceEnvironment;
  /** Whether to overwrite edits made elsewhere. */
  readonly overwriteDrift: boolean;
  /** Lists of objects, read for the plan. Their timestamps reveal the precision of the service's clock. */
  readonly listings?: ReadonlyMap<string, Listing>;
  readonly system: System;
  readonly signal?: AbortSignal;
  /** Maximum tick of the service's clock, in ms (default 2,000). */
  readonly tickMs?: number;
  /** Maximum time to look for a lost create, in ms (see `WriteContext`). */
  readonly settleMs?: number | undefined;
  readonly onEvent?: (event: ApplyEvent) => void;
}
