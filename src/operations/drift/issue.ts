import { repositoryAt } from "../../core/history/index.js";
import { digestValue } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import type { DriftDocument, ProposalFacts } from "../../output/documents/index.js";
import { renderMarkdown } from "../../output/render/index.js";
import { ownIssues, readMarker, upsertIssue } from "../../review/hosts/index.js";
import { type CodeHostOptions, settleOptions, withCodeHost } from "../code-host.js";
import type { Runtime } from "../runtime.js";

/**
 * Keeps one open issue for each environment while anything is drifted: opens it, updates it when something else
 * drifts, and closes it when nothing does. Issues that another run opened at the same time are closed.
 *
 * @throws HostError, HostSetupError
 */
export async function proposeIssue(
  runtime: Runtime,
  project: Manifest,
  options: CodeHostOptions & { readonly document: DriftDocument; readonly isComplete: boolean },
): Promise<ProposalFacts> {
  const { document, isComplete } = options;
  const none = { written: [], refused: [] };
  if (!document.drifted && !isComplete) return { result: "none", ...none, notes: [incomplete] };
  const environment = project.environment ?? "default";
  const { host, signal } = runtime;
  // As of pull requests; without a repository, none is needed.
  const repository = await repositoryAt(project.root, { environment: host.environment, signal });
  const marker = { use: "drift", about: { project: repository?.prefix ?? "", environment } };
  const facts = { digest: digestValue(document.objects) };
  return withCodeHost(runtime, options, (host) =>
    runtime.finishing(async (): Promise<ProposalFacts> => {
      const [known, ...others] = await ownIssues(host, marker);
      for (const { number } of others) await host.closeIssue(number);
      if (!document.drifted) {
        if (!known) return { result: "none", ...none, notes: [] };
        await host.closeIssue(known.number);
        return { result: "closed", number: known.number, url: known.url, ...none, notes: [] };
      }
      if (known && readMarker(known.body, marker).digest === facts.digest)
        return { result: "unchanged", number: known.number, url: known.url, ...none, notes: [] };
      const kept = await upsertIssue(host, {
        ...{ marker, facts, title: issueTitle(project.environment), ...settleOptions(runtime) },
        body: renderMarkdown(document, { limit: Math.min(host.limits.body, 60_000) - 2_000 }),
      });
      const [newest = kept, ...older] = known ? [kept] : await ownIssues(host, marker);
      for (const { number } of older) await host.closeIssue(number);
      return {
        result: known ? "updated" : "opened",
        ...{ number: newest.number, url: newest.url },
        ...{ ...none, notes: [] },
      };
    }),
  );
}

const incomplete = "No issue was closed, because not everything is known: run the command again.";

function issueTitle(environment: string | undefined): string {
  return `Objects were edited elsewhere${environment === undefined ? "" : ` (${environment})`}`;
}
