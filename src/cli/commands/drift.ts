import { type DriftDocument, driftDocument, type ProposalFacts } from "../../documents/index.js";
import type { Manifest } from "../../manifest/index.js";
import { renderDriftMarkdown, renderDriftText, renderJson } from "../../render/index.js";
import { type Call, isOn, listOption, type RunCommand } from "../command.js";
import { withService } from "../connect.js";
import { type ObservedDrift, observeDrift } from "../drift/observing.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { refuseUnknownAddress } from "../planning.js";
import { loadProject } from "../project.js";
import { placesIn } from "../show-plan.js";

export const command: RunCommand = async (call) => {
  refuseMixture(call);
  const manifest = await loadProject(call);
  return withService(call, manifest, async (service): Promise<ExitCode> => {
    const seen = await observeDrift(call, manifest, service);
    const { environment } = manifest;
    const document = driftDocument(
      { ...seen, service: service.baseUrl, ...(environment === undefined ? {} : { environment }) },
      placesIn(manifest),
    );
    show(call, { ...document, ...(await proposed(call, manifest, seen, document)) });
    if (document.summary.unreadable > 0) return exitCode.failed;
    return document.drifted ? exitCode.changesPending : exitCode.done;
  });
};

function show({ output }: Call, document: DriftDocument): void {
  if (output.format === "json") output.result(renderJson(document));
  else if (output.format === "markdown") output.result(renderDriftMarkdown(document));
  else output.result(renderDriftText(document, output.stdoutText));
}

/** Keeps the pull request or the issue; each is loaded when it is asked for. */
async function proposed(
  call: Call,
  manifest: Manifest,
  seen: ObservedDrift,
  document: DriftDocument,
): Promise<{ readonly pull_request?: ProposalFacts; readonly issue?: ProposalFacts }> {
  if (isOn(call, "pullRequest")) {
    const named = addressesOf(call);
    for (const address of named) refuseUnknownAddress(address, manifest, seen.state);
    const { proposePullRequest } = await import("../drift/pull-request.js");
    return { pull_request: await proposePullRequest(call, manifest, seen, { document, named }) };
  }
  if (isOn(call, "issue")) {
    const { proposeIssue } = await import("../drift/issue.js");
    return { issue: await proposeIssue(call, manifest, { document, isComplete: seen.isComplete }) };
  }
  return {};
}

function addressesOf({ arguments: [given] }: Call): readonly string[] {
  return typeof given === "object" ? [...new Set(given)] : [];
}

function refuseMixture(call: Call): void {
  const isLimited = listOption(call, "target").length > 0;
  const wrong = (message: string) => new UsageError("usage", message);
  // What is asked of some objects cannot tell which others nobody declares, or whether anything is left.
  for (const [name, flag] of [
    ["undeclared", "--undeclared"],
    ["pullRequest", "--pull-request"],
    ["issue", "--issue"],
  ] as const)
    if (isLimited && isOn(call, name)) throw wrong(`${flag} covers the whole account: remove --target.`);
  if (isOn(call, "pullRequest") && isOn(call, "issue"))
    throw wrong("--pull-request and --issue say the same in two places: choose one.");
  if (addressesOf(call).length > 0 && !isOn(call, "pullRequest"))
    throw wrong("Addresses are for --pull-request: to look at some objects only, use --target.");
}
