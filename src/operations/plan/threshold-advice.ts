import type { Plan } from "../../core/engine/index.js";

/** The plan, whose notice of an exceeded threshold also says how it can be applied. */
export function withThresholdAdvice(plan: Plan, advice: string): Plan {
  const notices = plan.notices.map((notice) =>
    notice.code === "threshold" ? { ...notice, message: `${notice.message} ${advice}` } : notice,
  );
  return { ...plan, notices };
}
