import type { Service } from "../../core/api/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { type DriftDocument, toDriftDocument } from "../../output/documents/index.js";
import { createDriftNotices } from "../notify/notices-of-outcomes.js";
import { withNotices } from "../notify/notify.js";
import { observeDrift } from "../plan/observe-drift.js";
import { assertKnownAddress } from "../plan/plan.js";
import { withService } from "../project/connect.js";
import { createTextLocator } from "../project/locators.js";
import type { Runtime } from "../runtime/runtime.js";
import { reportLock } from "../state/project-store.js";
import type { DriftProposalOptions } from "./propose-drift.js";

export interface DriftOptions extends Omit<DriftProposalOptions, "document" | "isBranchOnly"> {
  /** Type of proposal for the edits. Default: the edits are only reported. */
  readonly proposes?: "pull request" | "branch" | undefined;
}

/** Compares the account with the last apply, updates the pull request, and posts notices. */
export function detectProjectDrift(
  runtime: Runtime,
  project: Manifest,
  options: DriftOptions,
): Promise<DriftDocument> {
  const work = () =>
    withService(runtime, project, (service) => findAndPropose(runtime, project, service, options));
  return withNotices(runtime, project, "drift", work, createDriftNotices);
}

async function findAndPropose(
  runtime: Runtime,
  project: Manifest,
  service: Service,
  options: DriftOptions,
): Promise<DriftDocument> {
  const seen = await observeDrift(runtime, project, service, (snapshot) => reportLock(runtime, snapshot));
  const facts = { ...seen, service: service.baseUrl, environment: project.environment };
  const document = toDriftDocument(facts, createTextLocator(project));
  if (!options.proposes) return document;
  for (const address of options.named) assertKnownAddress(address, project, seen.state);
  const { proposeDrift } = await import("./propose-drift.js");
  const isBranchOnly = options.proposes === "branch";
  const pull_request = await proposeDrift(runtime, project, seen, { ...options, isBranchOnly, document });
  return { ...document, pull_request };
}
