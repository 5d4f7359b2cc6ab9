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
  /** Desired state. Provides what the plan leaves out, such as the sources of write-only values. */
  readonly manifest: Manifest;
  /** Writer for the state, which this run has locked. */
  readonly session: StateWriter;
  readonly service: Service;
  readonly sources: SourceEnvironment;
  /** Whether to overwrite edits made elsewhere. */
  readonly overwriteDrift: boolean;
  /** Lists read for the plan. Their timestamps show how precise the service's clock is. */
  readonly listings?: ReadonlyMap<string, Listing>;
  readonly system: System;
  readonly signal?: AbortSignal;
  /** Coarsest clock resolution to expect from the service, in ms (default 2,000). */
  readonly tickMs?: number;
  /** Maximum time to search for the object of a lost create, in ms (see `WriteContext`). */
  readonly settleMs?: number | undefined;
  readonly onEvent?: (event: ApplyEvent) => void;
}
