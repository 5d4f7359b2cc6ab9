import { type PlaceOfText, planDocument } from "../documents/index.js";
import type { Plan, Undeclared } from "../engine/index.js";
import { firstLineOf, type Manifest } from "../manifest/index.js";
import { renderJson, renderPlanMarkdown, renderPlanText } from "../render/index.js";
import type { Talk } from "./talk.js";

/** Shows a plan as a result, in the format asked for, with what is declared in no file where that was asked for. */
export function showPlan(
  talk: Talk,
  plan: Plan,
  manifest?: Manifest,
  undeclared?: readonly Undeclared[],
): void {
  const document = planDocument(plan, undeclared, placesIn(manifest));
  if (talk.format === "json") {
    talk.print(renderJson(document));
    return;
  }
  // Where they are listed they need not be counted; and who asks for results only did not ask for a hint.
  const isHint = ({ code }: { readonly code: string }) => code === "undeclared-objects";
  const notices = document.notices.filter((one) => !isHint(one) || !(undeclared || talk.quiet));
  const shown = { ...document, notices };
  talk.print(talk.format === "markdown" ? renderPlanMarkdown(shown) : renderPlanText(shown, talk.page));
}

/** Shows a plan on the way to something else: as talk, so that stdout is left to what comes of it. */
export function mentionPlan(talk: Talk, plan: Plan, manifest?: Manifest): void {
  talk.mention(renderPlanText(planDocument(plan, undefined, placesIn(manifest)), talk.aside));
}

/** Where texts stand in the files; a saved plan is shown without them. */
function placesIn(manifest: Manifest | undefined): PlaceOfText {
  const declared = new Map(manifest?.declarations.map((one) => [one.address, one]));
  return (address, field) => {
    const declaration = declared.get(address);
    return declaration && firstLineOf(declaration, field);
  };
}
