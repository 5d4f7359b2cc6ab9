import type { Service } from "../api/index.js";
import type { Listing } from "../kinds/index.js";
import type { Manifest } from "../manifest/index.js";
import type { SourceEnvironment } from "../secrets/index.js";
import type { Session } from "../state/index.js";
import type { ApplyEvent } from "./outcome.js";
import type { Plan } from "./plan-value.js";

/** What applying needs. */
export interface ApplyInput {
  readonly plan: Plan;
  /** Where the sources of write-only values stand; nothing else is read from it. */
  readonly manifest: Manifest;
  /** The state, locked by us. */
  readonly session: Session;
  readonly service: Service;
  readonly sources: SourceEnvironment;
  /** Write over edits made elsewhere. */
  readonly overwriteDrift: boolean;
  /** Writes in flight at once. Default 8. */
  readonly concurrency?: number;
  /** What the lists told when the plan was made: how finely the service's clock ticks. */
  readonly listings?: ReadonlyMap<string, Listing>;
  readonly now: () => number;
  readonly signal?: AbortSignal;
  /** The longest tick of a service's clock. Default 2,000. */
  readonly tickMs?: number;
  /** How long a lost create may take to show. Default 10,000. */
  readonly settleMs?: number;
  readonly on?: (event: ApplyEvent) => void;
}
