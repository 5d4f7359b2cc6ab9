import { type Service, ServiceError } from "../../core/api/index.js";
import { listChangesInUse, type Plan } from "../../core/engine/index.js";
import { defaultWaitMs, type Manifest } from "../../core/manifest/index.js";
import { formatDuration } from "../../output/render/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { doesOverwriteDrift } from "./plan.js";

/** Returns the maximum time to wait until no session is active, in ms, or undefined if apply does not wait. */
export function readChosenWaitMs(
  runtime: Runtime,
  { service }: Pick<Manifest, "service">,
): number | undefined {
  const flag = runtime.options.waitForIdle;
  const isWaiting = flag === undefined ? service.waitForIdleMs !== undefined : flag === true;
  return isWaiting ? (runtime.options.timeout ?? service.waitForIdleMs ?? defaultWaitMs) : undefined;
}

/** Returns whether the plan changes objects that sessions use. */
export function isInUse(runtime: Runtime, manifest: Manifest, plan: Plan): boolean {
  return listChangesInUse(plan, doesOverwriteDrift(runtime, manifest)).length > 0;
}

/**
 * Adds the number of active sessions as a notice, if the plan changes objects that sessions use. If the service fails,
 * the notice contains the error instead.
 */
export async function withActiveSessionsNotice(
  runtime: Runtime,
  manifest: Manifest,
  service: Service,
  plan: Plan,
): Promise<Plan> {
  if (!isInUse(runtime, manifest, plan)) return plan;
  const { countActiveOnFirstPage } = await import("../../sessions/reports/index.js");
  const withNotice = (message: string): Plan => ({
    ...plan,
    notices: [...plan.notices, { code: "active-sessions", message }],
  });
  try {
    const { count, complete } = await countActiveOnFirstPage(service);
    const isIdle = count === 0 && complete;
    const noted = isIdle
      ? plan
      : withNotice(toNotice(count, complete, plan, readChosenWaitMs(runtime, manifest)));
    return { ...noted, activeSessions: { count, complete } };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === "cancelled") throw error;
    return withNotice(`It is unknown whether sessions are active. ${error.message}`);
  }
}

function toNotice(
  count: number,
  complete: boolean,
  { rollback }: Pick<Plan, "rollback">,
  waitMs: number | undefined,
): string {
  const isOne = count === 1 && complete;
  // The first page may contain only sandbox sessions.
  const active =
    count === 0
      ? "Sessions may be active"
      : `${count}${complete ? "" : " or more"} ${isOne ? "session is" : "sessions are"} active`;
  const advice =
    waitMs === undefined
      ? `\`${rollback ? "avatarops rollback" : "avatarops apply"} --wait-for-idle\` waits until none is active`
      : `${rollback ? "The rollback" : "Apply"} waits until none is active, for up to ${formatDuration(waitMs, "milliseconds")}`;
  return `${active}, and contexts would change while people are talking. ${advice}.`;
}
