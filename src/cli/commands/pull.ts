import type { Service } from "../../api/index.js";
import { type PulledField, pullDocument, type RefusedPull } from "../../documents/index.js";
import { loadManifest, type Manifest, writeBack } from "../../manifest/index.js";
import { renderJson, renderPullText } from "../../render/index.js";
import type { Entry, State, StateSession } from "../../state/index.js";
import { type Call, isOn, type RunCommand } from "../command.js";
import { withService } from "../connect.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import { inFolder } from "../folder.js";
import { makePlan, refuseUnknownAddress } from "../planning.js";
import { loadOptionsOf, loadProject } from "../project.js";
import { editsOf, type Pull, withoutRefused } from "../pull-places.js";
import { entriesAfterPull, preparePull, refuseEdited } from "../pulling.js";
import { entriesWithTimestamps, type ListedState } from "../reread.js";
import { openProjectStore, withLock } from "../store.js";

export const command: RunCommand = async (call) => {
  const manifest = await loadProject(call);
  if (isOn(call, "dryRun")) {
    const snapshot = await openProjectStore(call, manifest).read();
    const pull = await withService(call, manifest, (service) =>
      prepare(call, manifest, snapshot?.state, service),
    );
    return finish(call, manifest, pull);
  }
  return withLock(call, manifest, "pull", (session) =>
    withService(call, manifest, async (service) => {
      const pull = await prepare(call, manifest, session.state, service);
      const done = await call.finishing(() => writePulledFields(call, manifest, session, service, pull));
      return finish(call, manifest, done);
    }),
  );
};

/** What to pull: all that drifted, or everything that differs for the objects named. */
async function prepare(
  call: Call,
  manifest: Manifest,
  state: State | undefined,
  service: Service,
): Promise<Pull> {
  const named = addressesOf(call);
  for (const address of named) refuseUnknownAddress(address, manifest, state);
  const { plan, observation } = await makePlan(call, { manifest, state, service, targets: named });
  const pull = preparePull({ manifest, plan, observation, named });
  const { manifest: now } = await loadManifest(loadOptionsOf(call));
  return refuseEdited(pull, now);
}

function addressesOf({ arguments: [given] }: Call): readonly string[] {
  return typeof given === "object" ? [...new Set(given)] : [];
}

/**
 * Writes the files first: if the state cannot be written afterwards, the next plan sees that both sides are
 * equal. An edit that a file refuses does not count as pulled, because the next apply would overwrite it.
 */
async function writePulledFields(
  call: Call,
  manifest: Manifest,
  session: StateSession,
  service: Service,
  planned: Pull,
): Promise<Pull> {
  if (planned.fields.length === 0) return planned;
  const written = await inFolder(manifest.root, () => writeBack(manifest.root, editsOf(planned.fields)));
  const { fields, refused } = withoutRefused(planned.fields, written);
  const pull = { fields, refused: [...planned.refused, ...refused] };
  if (fields.length === 0) return pull;
  await session.begin(service.baseUrl);
  const entries = entriesAfterPull(pull, session.state);
  for (const [address, entry] of entries) await session.completeIntent(address, entry);
  const settled = await entriesWithTimestamps(call, service, knownOf(pull, entries));
  for (const [address, entry] of settled) session.recordEntry(address, entry);
  await session.commit();
  return pull;
}

/** The pulled objects that are in sync now; an edit that was refused must still show up in the next plan. */
function knownOf({ fields, refused }: Pull, entries: ReadonlyMap<string, Entry>): ListedState[] {
  return fields.flatMap(({ declaration: { address, kind }, live: { id, updatedAt } }) => {
    const entry = entries.get(address);
    return entry && !refused.some((refusal) => refusal.address === address)
      ? [{ address, kind, id, updatedAt, entry }]
      : [];
  });
}

function finish(call: Call, manifest: Manifest, pull: Pull): ExitCode {
  const { output } = call;
  const pulled: PulledField[] = pull.fields.map(({ declaration: { address }, field, edit }) => ({
    address,
    field,
    file: edit.origin.file,
  }));
  const refused: readonly RefusedPull[] = pull.refused;
  const document = pullDocument(pulled, refused, { dryRun: isOn(call, "dryRun") });
  output.result(
    output.format === "json" ? renderJson(document) : renderPullText(document, output.stdoutText),
  );
  if (manifest.environment !== undefined && pull.fields.some(({ edit }) => !isOfEnvironment(edit)))
    output.info("The pull changed texts outside the environment: other environments may use them too.");
  if (refused.length === 0) return exitCode.done;
  return pulled.length > 0 ? exitCode.partly : exitCode.failed;
}

function isOfEnvironment({ origin }: Pull["fields"][number]["edit"]): boolean {
  return origin.at === "yaml" && origin.path[0] === "environments";
}
