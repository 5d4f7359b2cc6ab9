import { readFile } from "node:fs/promises";
import type { Service } from "../../api/index.js";
import { planExit, readPlan } from "../../documents/index.js";
import { type Plan, throwIfOtherDigest, throwIfStale } from "../../engine/index.js";
import type { State } from "../../state/index.js";
import { applyPlan, askApproval, refusal, refuseOtherAccount, showOutcome } from "../applying.js";
import { type Call, isOn, listOption, type RunCommand, textOption } from "../command.js";
import { withService } from "../connect.js";
import type { ExitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { notingSessions, refuseTimeoutAlone, whenIdle } from "../idle.js";
import { refuseByPolicies } from "../judging.js";
import { planDefinitions } from "../plan-definitions.js";
import {
  makePlan,
  type ObservedPlan,
  refuseBehind,
  refuseLargeChange,
  refuseUnknownAddress,
} from "../planning.js";
import { checkSmokeOptions } from "../presets.js";
import { loadJudged, type Project } from "../project.js";
import { shellWord } from "../shell-word.js";
import { progressPlan } from "../show-plan.js";
import { openProjectStore, withLock } from "../store.js";

export const command: RunCommand = async (call) => {
  refuseTwoPlans(call);
  const saved = await savedPlan(call);
  const reviewed = await digestToApply(call);
  const manifest = await loadJudged(call);
  refuseTimeoutAlone(call, manifest);
  checkSmokeOptions(call, manifest);
  const isAsked = !saved && reviewed === undefined && !isOn(call, "autoApprove");
  return withService(call, manifest, async (service) => {
    const agreed = isAsked ? await agreedPlan(call, manifest, service) : undefined;
    if (typeof agreed === "number") return agreed;
    return withLock(call, manifest, "apply", async (session) => {
      const serialBefore = session.state?.serial;
      const made = await freshPlan(call, manifest, session.state, service, { saved, reviewed, agreed });
      if (!saved && reviewed === undefined && !agreed)
        progressPlan(call.output, await notingSessions(call, manifest, service, made.plan), manifest);
      const ready = await whenIdle(call, manifest, service, made);
      const outcome = await applyPlan(call, manifest, session, service, ready);
      if (!isOn(call, "smoke")) return showOutcome(call, outcome);
      const { showSmoked } = await import("../smoking.js");
      // With the lock, so that what is checked is what was applied.
      return showSmoked(call, { manifest, state: session.state, service }, { outcome, serialBefore });
    });
  });
};

/**
 * The plan that somebody agrees to, or the exit code. It is made without the lock, which would keep others waiting for
 * the answer, so it is made again under it.
 */
async function agreedPlan(call: Call, manifest: Project, service: Service): Promise<Plan | ExitCode> {
  const snapshot = await openProjectStore(call, manifest).read();
  const { plan } = await freshPlan(call, manifest, snapshot?.state, service, {});
  const shown = await notingSessions(call, manifest, service, plan);
  return (await askApproval(call, shown, manifest, snapshot)) ? plan : refusal(call, shown, manifest);
}

/** A file and a digest may name two plans. */
function refuseTwoPlans(call: Call): void {
  const [finds, names] = [isOn(call, "reviewed"), textOption(call, "digest") !== undefined];
  if (finds && names)
    throw new UsageError("usage", "--reviewed finds the digest by itself: remove --digest.");
  if ((finds || names) && call.arguments[0] !== undefined)
    throw new UsageError(
      "usage",
      `A saved plan has its digest in it: remove ${finds ? "--reviewed" : "--digest"}.`,
    );
}

/** The digest of what was reviewed, or why nothing was; undefined if the user is to approve the plan. */
async function digestToApply(call: Call): Promise<string | UsageError | undefined> {
  if (!isOn(call, "reviewed")) return textOption(call, "digest");
  const { reviewedDigest } = await import("../reviewed-digest.js");
  return reviewedDigest(call);
}

/** A plan that is known to somebody. */
interface KnownPlan {
  readonly saved?: Plan | undefined;
  /** Its digest, or why there is none. */
  readonly reviewed?: string | UsageError | undefined;
  readonly agreed?: Plan | undefined;
}

/** The plan to apply: the saved, reviewed or agreed one, if there is one, recomputed and checked to be the same. */
async function freshPlan(
  call: Call,
  manifest: Project,
  state: State | undefined,
  service: Service,
  { saved, reviewed, agreed }: KnownPlan,
): Promise<ObservedPlan> {
  const acceptDuplicates = listOption(call, "acceptDuplicate");
  for (const address of acceptDuplicates) refuseUnknownAddress(address, manifest, state);
  const targets = saved ? (saved.basis.targets ?? []) : undefined;
  const made = await makePlan(call, {
    manifest,
    state,
    service,
    acceptDuplicates,
    commits: { deepens: false },
    ...(targets ? { targets } : {}),
  });
  if (agreed) {
    throwIfStale(agreed, made.plan);
    return made;
  }
  if (saved?.definitions)
    throwIfStale(saved, { ...made.plan, definitions: await planDefinitions(call, manifest) });
  else if (saved) throwIfStale(saved, made.plan);
  if (typeof reviewed === "string") throwIfOtherDigest(reviewed, made.plan);
  else if (reviewed && planExit(made.plan) !== "nothing") throw reviewed;
  refuseBehind(call, made.plan);
  refuseOtherAccount(call, made.plan);
  refuseLargeChange(call, made.plan);
  await refuseByPolicies(call, manifest, made.plan);
  return made;
}

async function savedPlan(call: Call): Promise<Plan | undefined> {
  const [file] = call.arguments;
  if (typeof file !== "string") return undefined;
  for (const flag of ["target", "acceptDuplicate"]) {
    if (listOption(call, flag).length > 0)
      throw new UsageError(
        "saved-plan",
        "A saved plan is applied exactly as it is: remove --target and --accept-duplicate.",
      );
  }
  return readPlan(await textOf(call.host.resolve(file), file));
}

async function textOf(path: string, named: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      "plan-file",
      `Cannot read the plan ${named} (${code}). Write one with \`avatarops plan --out ${shellWord(named)}\`.`,
    );
  }
}
