import { readFile } from "node:fs/promises";
import type { Service } from "../../api/index.js";
import { outcomeDocument, outcomeExit, planExit, readPlan } from "../../documents/index.js";
import { apply, type Outcome, type Plan, throwIfStale } from "../../engine/index.js";
import type { Manifest } from "../../manifest/index.js";
import { renderJson, renderOutcomeMarkdown, renderOutcomeText } from "../../render/index.js";
import type { Session } from "../../state/index.js";
import { ask } from "../ask.js";
import { type Call, isOn, listOption, numberOption, type RunCommand } from "../command.js";
import { withService } from "../connect.js";
import { type ExitCode, exitCode, outcomeExitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { makePlan, refuseLargeChange, refuseUnknownAddress } from "../planning.js";
import { showProgress } from "../progress.js";
import { loadProject, sourcesOf } from "../project.js";
import { shellWord } from "../shell-word.js";
import { presentPlan, progressPlan, showPlan } from "../show-plan.js";
import { withLock } from "../store.js";

export const command: RunCommand = async (call) => {
  const saved = await savedPlan(call);
  const manifest = await loadProject(call);
  return withLock(call, manifest, "apply", (session) =>
    withService(call, manifest, async (service) => {
      const made = await freshPlan(call, manifest, session, service, saved);
      if (!saved && !(await approved(call, made.plan, manifest))) return refusal(call, made.plan, manifest);
      return finish(call, await applyPlan(call, manifest, session, service, made));
    }),
  );
};

type Made = Awaited<ReturnType<typeof makePlan>>;

/** The plan to apply: the saved one, if given, recomputed and checked to be the same. */
async function freshPlan(
  call: Call,
  manifest: Manifest,
  session: Session,
  service: Service,
  saved?: Plan,
): Promise<Made> {
  const { state } = session;
  const acceptDuplicates = listOption(call, "acceptDuplicate");
  for (const address of acceptDuplicates) refuseUnknownAddress(address, manifest, state);
  const targets = saved ? (saved.basis.targets ?? []) : undefined;
  const made = await makePlan(call, {
    manifest,
    state,
    service,
    acceptDuplicates,
    ...(targets ? { targets } : {}),
  });
  if (saved) throwIfStale(saved, made.plan);
  refuseOtherAccount(call, made.plan);
  refuseLargeChange(call, made.plan);
  return made;
}

/** Few users mean to recreate a whole account: the API key is more likely that of another account. */
function refuseOtherAccount(call: Call, { notices }: Plan): void {
  const gone = notices.find(({ code }) => code === "all-vanished");
  if (!gone || isOn(call, "recreate")) return;
  throw new UsageError("all-vanished", `${gone.message} If they were deleted, apply with --recreate.`);
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

/** Whether to continue: nothing to write, approved in advance, or approved on the terminal. */
async function approved(call: Call, plan: Plan, manifest: Manifest): Promise<boolean> {
  if (isOn(call, "autoApprove") || planExit(plan) === "nothing") {
    progressPlan(call.output, plan, manifest);
    return true;
  }
  if (!call.host.interactive) return false;
  presentPlan(call.output, plan, manifest);
  return ask(call, 'Apply these changes? Type "yes" to continue: ');
}

/** Without a terminal, or after a no, the plan is the result. A pipeline never hangs. */
function refusal({ host, output }: Call, plan: Plan, manifest: Manifest): ExitCode {
  if (host.interactive) {
    // In text format the question has shown it already.
    if (output.format !== "text") showPlan(output, plan, manifest);
    output.warn("Nothing was applied.");
    return exitCode.cancelled;
  }
  showPlan(output, plan, manifest);
  output.warn(
    "Nothing was applied: there is no terminal to ask on. Add --auto-approve, or save a plan and apply that.",
  );
  return exitCode.changesPending;
}

async function applyPlan(
  call: Call,
  manifest: Manifest,
  session: Session,
  service: Service,
  { plan, observation: { listings } }: Made,
): Promise<Outcome> {
  const concurrency = numberOption(call, "concurrency") ?? manifest.service.concurrency;
  const progress = showProgress(call);
  const sayStopping = () =>
    call.output.warn("Stopping: requests in flight are finished and recorded. Press Ctrl-C again to abort.");
  call.signal.addEventListener("abort", sayStopping, { once: true });
  try {
    return await call.finishing(() =>
      apply({
        plan,
        manifest,
        session,
        service,
        sources: sourcesOf(call, manifest),
        overwriteDrift: isOn(call, "overwriteDrift") || manifest.drift === "overwrite",
        ...(concurrency === undefined ? {} : { concurrency }),
        now: call.host.now,
        signal: call.signal,
        listings,
        ...call.host.waits,
        on: progress.show,
      }),
    );
  } finally {
    call.signal.removeEventListener("abort", sayStopping);
    progress.end();
  }
}

function finish({ output }: Call, outcome: Outcome): ExitCode {
  const document = outcomeDocument(outcome);
  if (output.format === "json") output.result(renderJson(document));
  else if (output.format === "markdown") output.result(renderOutcomeMarkdown(document));
  else output.result(renderOutcomeText(document, output.stdoutText));
  return outcomeExitCode(outcomeExit(outcome));
}
