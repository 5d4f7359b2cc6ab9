import { UsageError } from "../../../base/diagnostics/index.js";
import { checkBaseUrl, readOnly } from "../../../core/api/index.js";
import { findRecorded, type RecordedLookup } from "../../../core/engine/index.js";
import { changeState, loadProject, withService } from "../../../operations/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { stateMoveServiceCommand } from "../facts/state.js";
import { showReading } from "../progress.js";

export const command: RunCommand<typeof stateMoveServiceCommand> = async (call) => {
  const [oldAddress, newAddress] = call.arguments;
  const [from, to] = [addressFrom(oldAddress), addressFrom(newAddress)];
  const manifest = await loadProject(call);
  // With its arguments: the history says what was replaced.
  return changeState(call, manifest, `state move-service ${from} ${to}`, (session, state) =>
    withService(call, manifest, async (service) => {
      const otherService = (message: string) => new UsageError("other-service", message);
      if (service.baseUrl !== to)
        throw otherService(
          `base_url is ${service.baseUrl}, not ${to}. Set it to the new address first (\`service.base_url\`, AVATAROPS_BASE_URL or --base-url).`,
        );
      if (state.service === to) {
        call.output.info(`The state already belongs to ${to}: nothing to move.`);
        return exitCode.done;
      }
      if (state.service !== from)
        throw otherService(`The state belongs to ${state.service}, not to ${from}.`);
      const recorded = await showReading(call, service, () => findRecorded(readOnly(service), state));
      if (!call.options.force) refuseUnlessFound(recorded, to);
      await session.replace({ objects: state.objects, pending: state.pending, service: to });
      call.output.result(`The state now belongs to ${to}: ${foundPhrase(recorded)}.`);
      return exitCode.done;
    }),
  );
};

function addressFrom(text: string): string {
  const checked = checkBaseUrl(text);
  if (!("problem" in checked)) return checked.url;
  throw new UsageError(
    "base-url",
    `"${text}" cannot be the address of a service: it ${checked.problem}: ${checked.hint}.`,
  );
}

/** Ids are of one account: what is recorded must be known there, as far as that can be read. */
function refuseUnlessFound({ found, missing, unknown }: RecordedLookup, to: string): void {
  if (missing.length > 0) {
    throw new UsageError(
      "other-service",
      `Nothing was changed: ${to} does not have ${missing.length} of the recorded objects: ${missing.join(", ")}. If it is ` +
        "the same account and they were deleted there, use --force: the next plan creates them again. If it is another " +
        "account, give it a state of its own (`state:` in an environment).",
    );
  }
  if (found.length > 0 || unknown.length === 0) return;
  throw new UsageError(
    "other-service",
    `Nothing was changed: the service shows none of the recorded objects, so it is unknown whether ${to} is the same ` +
      `account: ${unknown.join(", ")}. If it is, use --force.`,
  );
}

function foundPhrase({ found, missing, unknown }: RecordedLookup): string {
  const counts = [
    `${found.length} recorded ${found.length === 1 ? "object is" : "objects are"} there`,
    ...(missing.length > 0 ? [`${missing.length} not`] : []),
    ...(unknown.length > 0 ? [`${unknown.length} cannot be read`] : []),
  ];
  return counts.join(", ");
}
