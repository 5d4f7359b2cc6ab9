import { setImmediate } from "node:timers/promises";
import { UsageError } from "../../base/diagnostics/index.js";
import type { Runtime } from "./runtime.js";

/**
 * Rejects a plan if unawaited code of a definition has failed, because the plan would remove the objects that this code
 * did not create.
 *
 * @throws UsageError
 */
export async function assertNoBackgroundFailure({ host }: Pick<Runtime, "host">): Promise<void> {
  if (!host.takeBackgroundFailure) return;
  // Unhandled rejections surface in the next turn.
  await setImmediate();
  if (!host.takeBackgroundFailure()) return;
  throw new UsageError(
    "left-running",
    "Unawaited code in a definition failed, so the project may lack objects. Add the missing `await`, then run the command again.",
  );
}
