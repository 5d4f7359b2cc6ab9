import { planDocument } from "../documents/index.js";
import type { Plan } from "../engine/index.js";
import { renderJson, renderPlanMarkdown, renderPlanText } from "../render/index.js";
import type { Talk } from "./talk.js";

/** Shows a plan as a result, in the format asked for. */
export function showPlan(talk: Talk, plan: Plan): void {
  const document = planDocument(plan);
  if (talk.format === "json") talk.print(renderJson(document));
  else if (talk.format === "markdown") talk.print(renderPlanMarkdown(document));
  else talk.print(renderPlanText(document, talk.page));
}

/** Shows a plan on the way to something else: as talk, so that stdout is left to what comes of it. */
export function mentionPlan(talk: Talk, plan: Plan): void {
  talk.mention(renderPlanText(planDocument(plan), talk.aside));
}
