import type { Plan } from "../../core/engine/index.js";

/** Adds to the notice of an exceeded threshold how the plan can be applied. */
export function withThresholdAdvice(plan: Plan, advice: string): Plan {
  const notices = plan.notices.map((notice) =>
    notice.code === "threshold" ? { ...notice, message: `${notice.message} ${advice}` } : notice,
  );
  return { ...plan, notices };
}
