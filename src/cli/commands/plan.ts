import { planExit, writePlan } from "../../documents/index.js";
import { writeWhole } from "../../state/index.js";
import { isOn, type RunCommand, textOption } from "../command.js";
import { withService } from "../connect.js";
import { planExitCode } from "../exit-code.js";
import { makePlan } from "../planning.js";
import { loadProject } from "../project.js";
import { showPlan } from "../show-plan.js";
import { openProjectStore } from "../store.js";

export const command: RunCommand = async (call) => {
  const manifest = await loadProject(call);
  const snapshot = await openProjectStore(call, manifest).read();
  const { plan } = await withService(call, manifest, (service) =>
    makePlan(call, { manifest, state: snapshot?.state, service }),
  );
  const out = textOption(call, "out");
  if (out !== undefined) await writeWhole(call.host.resolve(out), writePlan(plan));
  showPlan(call.talk, plan);
  if (snapshot?.lockedBy)
    call.talk.say(`An apply may be at work: the state is locked by \`${snapshot.lockedBy.command}\`.`);
  if (out !== undefined) call.talk.say(`Saved the plan. Apply exactly this with: avatarops apply ${out}`);
  return planExitCode(planExit(plan), isOn(call, "detailedExitcode"));
};
