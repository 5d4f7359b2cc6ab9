import type { Service } from "../../api/index.js";
import { planExit } from "../../documents/index.js";
import { type Notice, type Plan, throwIfStale } from "../../engine/index.js";
import type { PastState } from "../../history/index.js";
import { sameValue } from "../../kinds/index.js";
import { loadManifest, type Manifest, writeBack } from "../../manifest/index.js";
import type { State } from "../../state/index.js";
import { applyPlan, askApproval, refusal, refuseOtherAccount, showOutcome } from "../applying.js";
import { type Call, isOn, type RunCommand, textOption } from "../command.js";
import { withService } from "../connect.js";
import { type ExitCode, planExitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { inFolder } from "../folder.js";
import { notingSessions, refuseTimeoutAlone, whenIdle } from "../idle.js";
import { refuseByPolicies } from "../judging.js";
import { makePlan, type ObservedPlan, refuseLargeChange } from "../planning.js";
import { loadOptionsOf, loadProject, type Project } from "../project.js";
import { historyWith, type ProjectHistory, serialOf, stateAt } from "../project-history.js";
import { editsOf, fieldOf, type Refusal } from "../pull-places.js";
import { filesNotice, prepareRollback, type Rollback } from "../rolling-back.js";
import { progressPlan, showPlan } from "../show-plan.js";
import { noState } from "../state-changes.js";
import { openProjectStore, withLock } from "../store.js";

export const command: RunCommand = async (call) => {
  if (textOption(call, "to") === undefined)
    throw new UsageError(
      "usage",
      "Name the time to go back to: --to SERIAL or --to COMMIT. `avatarops history` lists them.",
    );
  const manifest = await loadProject(call);
  refuseTimeoutAlone(call, manifest);
  return withService(call, manifest, async (service) => {
    const isDry = isOn(call, "dryRun");
    const agreed =
      isDry || !isOn(call, "autoApprove") ? await agreedPlan(call, manifest, service) : undefined;
    if (typeof agreed === "number") return agreed;
    return withLock(call, manifest, "rollback", async (session) => {
      const { earlier, rollback, made } = await prepare(call, manifest, session.state, service);
      if (agreed) throwIfStale(agreed, made.plan);
      else {
        await refuseUnfit(call, manifest, made.plan);
        progressPlan(
          call.output,
          await notingSessions(call, manifest, service, made.plan),
          rollback.manifest,
        );
      }
      const ready = await whenIdle(call, manifest, service, made);
      // The files first: if the rest fails, the next apply of them goes on.
      if (isOn(call, "write")) await call.finishing(() => writeRollback(call, manifest, rollback));
      const commit = earlier.record?.definitions?.commit;
      session.describe({ restored: { serial: earlier.serial, ...(commit === undefined ? {} : { commit }) } });
      const outcome = await applyPlan(call, rollback.manifest, session, service, ready);
      return showOutcome(call, outcome);
    });
  });
};

/** The plan that somebody agrees to, made without the lock as in `apply`; or the exit code. */
async function agreedPlan(call: Call, manifest: Project, service: Service): Promise<Plan | ExitCode> {
  const snapshot = await openProjectStore(call, manifest).read();
  const { rollback, made } = await prepare(call, manifest, snapshot?.state, service);
  const isDry = isOn(call, "dryRun");
  if (!isDry) await refuseUnfit(call, manifest, made.plan);
  const shown = await notingSessions(call, manifest, service, made.plan);
  if (isDry) {
    showPlan(call.output, shown, rollback.manifest);
    if (isOn(call, "write")) sayFiles(call, rollback, "Would write");
    return planExitCode(planExit(made.plan), false);
  }
  if (await askApproval(call, shown, rollback.manifest, snapshot)) return made.plan;
  return refusal(call, shown, rollback.manifest, "Add --auto-approve.");
}

async function refuseUnfit(call: Call, manifest: Project, plan: Plan): Promise<void> {
  refuseOtherAccount(call, plan);
  refuseLargeChange(call, plan);
  await refuseByPolicies(call, manifest, plan);
}

interface Prepared {
  readonly earlier: PastState;
  readonly rollback: Rollback;
  readonly made: ObservedPlan;
}

async function prepare(
  call: Call,
  manifest: Manifest,
  state: State | undefined,
  service: Service,
): Promise<Prepared> {
  if (!state) throw new UsageError("no-state", noState(manifest));
  const past = await historyWith(call, manifest, openProjectStore(call, manifest), state);
  const earlier = await stateAt(past, await serialOf(past, textOption(call, "to") ?? ""));
  const isWriting = isOn(call, "write");
  const rollback = await prepareRollback(past, earlier, { named: addressesOf(call), write: isWriting });
  if (isWriting) {
    refuseUnwritable(rollback.files.refused);
    await refuseUncommitted(past, rollback);
  }
  const { targets } = rollback;
  const made = await makePlan(call, { manifest: rollback.manifest, state, service, targets, only: true });
  const notices = [
    ...made.plan.notices,
    ...rollback.notices,
    ...overwriteNotice(call, manifest, made.plan),
    ...(isWriting ? [] : filesNotice(rollback, earlier.serial)),
  ];
  return { earlier, rollback, made: { ...made, plan: { ...made.plan, notices } } };
}

function overwriteNotice(call: Call, { drift }: Manifest, { changes }: Plan): Notice[] {
  if (!changes.some(({ overwrites }) => overwrites) || isOn(call, "overwriteDrift") || drift === "overwrite")
    return [];
  return [
    {
      code: "rollback",
      message: "Edits made elsewhere stay: to overwrite them, roll back with --overwrite-drift.",
    },
  ];
}

function addressesOf({ arguments: [given] }: Call): readonly string[] {
  return typeof given === "object" ? [...new Set(given)] : [];
}

/** With --write, the files and the account agree afterwards, or nothing is done. */
function refuseUnwritable(refused: readonly Refusal[]): void {
  if (refused.length === 0) return;
  const reasons = refused.map(
    ({ address, field, reason }) => `${address}${field === undefined ? "" : `.${field}`}: ${reason}`,
  );
  throw new UsageError(
    "unwritable",
    `Nothing was rolled back, because the files cannot say it. ${reasons.join(" ")} Without --write, only the account goes back.`,
  );
}

/** A text that is in the working tree only would be lost. */
async function refuseUncommitted({ git }: ProjectHistory, rollback: Rollback): Promise<void> {
  const files = filesOf(rollback);
  if (!git || files.length === 0) return;
  const changed = await git.text(["status", "--porcelain", "-z", "--untracked-files=all", "--", ...files]);
  if (changed === "") return;
  throw new UsageError(
    "uncommitted",
    `Nothing was rolled back, because --write would overwrite changes that are not committed, in ${files.join(", ")}. Commit or stash them first.`,
  );
}

async function writeRollback(call: Call, manifest: Manifest, rollback: Rollback): Promise<void> {
  const { fields } = rollback.files;
  if (fields.length === 0) return;
  const { manifest: now } = await loadManifest(loadOptionsOf(call));
  const isEdited = fields.some((field) => {
    const { address, spec } = field.declaration;
    const again = now?.declarations.find((other) => other.address === address);
    return !again || !sameValue(fieldOf(field), spec[field.field], again.spec[field.field]);
  });
  if (isEdited)
    throw new UsageError(
      "files-changed",
      "Nothing was rolled back: the files changed in the meantime. Run the command again.",
    );
  const { refused } = await inFolder(manifest.root, () => writeBack(manifest.root, editsOf(fields)));
  const [first] = refused;
  if (first)
    throw new UsageError(
      "unwritable",
      `The account was not changed, because ${first.origin.file} could not be written: ${first.reason}. Run the command again.`,
    );
  sayFiles(call, rollback, "Wrote");
  if (manifest.environment !== undefined && fields.some(({ edit: { origin } }) => !isOfEnvironment(origin)))
    call.output.info("This changed texts outside the environment: other environments may use them too.");
}

function isOfEnvironment(origin: {
  readonly at: string;
  readonly path?: readonly (string | number)[];
}): boolean {
  return origin.at === "yaml" && origin.path?.[0] === "environments";
}

/** The files to write, relative to the project. */
function filesOf({ files: { fields } }: Rollback): string[] {
  return [...new Set(fields.map(({ edit }) => edit.origin.file))];
}

function sayFiles({ output }: Call, rollback: Rollback, did: "Wrote" | "Would write"): void {
  const files = filesOf(rollback);
  if (files.length > 0) output.info(`${did} ${files.join(", ")}.`);
}
