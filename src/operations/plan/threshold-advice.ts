import type { Plan } from "../../core/engine/index.js";

/** Adds advice on how to apply the plan to the threshold notice. */
export function withThresholdAdvice(plan: Plan, advice: string): Plan {
  const notices = plan.notices.map((notice) =>
    notice.code === "threshold" ? { ...notice, message: `${notice.message} ${advice}` } : notice,
  );
  return { ...plan, notices };
}
