import { toLocation } from "../../base/diagnostics/index.js";
import { type Drift, type DriftedObject, findDrift, referenceAdvice } from "../../core/engine/index.js";
import { parseTimestamp } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import {
  type DriftDocument,
  type ProposalFacts,
  type TextLocator,
  toDriftDocument,
} from "../../output/documents/index.js";
import type { FieldToWrite, RefusedEdit } from "../files/field-to-write.js";
import { getLiveValue, type PreparedEdits, prepareEdits } from "../files/prepare-edits.js";
import { markMergedEdits } from "../plan/last-applied.js";
import type { ObservedDrift } from "../plan/observe-drift.js";
import { createTextLocator } from "../project/locators.js";
import { checkOutProject, type WrittenTexts } from "../proposal/checkout.js";
import { formatCommitMessage, type NewCommit } from "../proposal/commit.js";
import { type ProposalOptions, propose } from "../proposal/propose.js";
import type { Runtime } from "../runtime/runtime.js";
import { quoteShellWord } from "../runtime/shell-word.js";
import { type DeclinedEdits, dropDeclined, findDeclined, markEdits } from "./declined.js";

/** Options for proposing dashboard edits in a pull request. */
export interface DriftProposalOptions extends ProposalOptions {
  /** Drift report. The proposal is added to it. */
  readonly document: DriftDocument;
  /** Addresses of objects whose live text wins even if the file also changed. */
  readonly named: readonly string[];
  /** Whether to limit edits of shared text to the object, if possible. */
  readonly onlyThisObject: boolean;
}

/**
 * Proposes dashboard edits in a pull request.
 *
 * @throws errors of `propose`.
 */
export async function proposeDrift(
  runtime: Runtime,
  project: Manifest,
  seen: ObservedDrift,
  { document, named: given, onlyThisObject, ...options }: DriftProposalOptions,
): Promise<ProposalFacts> {
  if (!seen.isComplete) return { result: "none", written: [], refused: [], notes: [incomplete] };
  return propose(runtime, project, options, {
    use: "drift",
    nothingLeft:
      "No edits are left to propose, because the account is unchanged since the last apply, the files already contain the edits, or the files changed in the same places.",
    async make({ host, remote, branch, marker, baseCommit, tip }) {
      const named = [...given, ...(tip?.named ?? [])];
      const declined =
        host && seen.drift.objects.length > 0 ? await findDeclined(host, branch, marker) : new Map();
      const checkout = await checkOutProject(runtime, project, remote, baseCommit);
      const { manifest } = checkout;
      const found = keepOnly(findDrift({ ...seen, manifest }), seen.drift);
      const drift = { ...found, objects: markMergedEdits(found.objects, manifest, seen.drift.objects) };
      const take = options.isBranchOnly ? `--branch ${quoteShellWord(branch)}` : "--pull-request";
      const texts = await checkout.write(
        await findTexts(drift, manifest, { named, onlyThisObject, declined, take }),
      );
      const { fields } = texts;
      const title = createDriftTitle(project.environment, fields.length);
      return {
        ...texts,
        title,
        ...describeCommit(title, drift, fields, { named, now: runtime.host.now() }),
        details: drift.objects.map(({ address, fields }) => [
          address,
          fields.map(({ field, after }) => [field, after]),
        ]),
        facts: { edits: markEdits(fields) },
        describe: (pull_request) =>
          toDriftDocument({ ...document, drift, pull_request }, createWrittenTextLocator(manifest, fields)),
      };
    },
  });
}

/**
 * Finds the files and lines of texts. If a partial's text was inlined, returns the location of the tag that it
 * replaced.
 */
function createWrittenTextLocator(manifest: Manifest, fields: WrittenTexts["fields"]): TextLocator {
  const locateText = createTextLocator(manifest);
  return (address, field) => {
    const found = locateText(address, field);
    const written = fields.find((one) => one.declaration.address === address && one.field === field);
    const origin = written?.declaration.origins[field];
    const replaced = written?.edit.replaced;
    if (!found || !replaced || origin?.at !== "template") return found;
    const files = new Set(replaced.map(({ range }) => range.source.file));
    return found.map((location, at) => {
      const [tag] = origin.composition.stretches[at]?.through ?? [];
      return tag && !files.has(location.file)
        ? { ...location, file: toLocation(tag).file, line: toLocation(tag).line }
        : location;
    });
  };
}

const incomplete =
  "Nothing was proposed or closed, because some objects could not be read. Resolve the problems above, and run the command again.";

/** Returns the title for the commit and the pull request. */
function createDriftTitle(environment: string | undefined, texts: number): string {
  const what = texts === 0 ? "edits made" : texts === 1 ? "1 text edited" : `${texts} texts edited`;
  return `Bring back ${what} elsewhere${environment === undefined ? "" : ` (${environment})`}`;
}

/** Returns the commit message, and the time of the last edit. */
function describeCommit(
  title: string,
  drift: Drift,
  fields: WrittenTexts["fields"],
  { named, now }: { readonly named: readonly string[]; readonly now: number },
): Pick<NewCommit, "message" | "at"> {
  const written = new Set(fields.map(({ declaration }) => declaration.address));
  const edited = drift.objects
    .filter(({ address }) => written.has(address))
    .map(({ address, live }) => ({ address, at: parseTimestamp(live?.updatedAt) }));
  const times = edited.map(({ at }) => at).filter((at) => at <= now);
  return {
    message: formatCommitMessage({
      ...{ title, fields },
      objects: edited.map(({ address, at }) => ({
        address,
        more: Number.isNaN(at) ? "" : `, edited ${new Date(at).toISOString()}`,
      })),
      why: "These texts were edited elsewhere since the last apply. The service records\nthe time of an edit, but not its author.",
      // The next run then treats these objects as named by the user.
      named: named.filter((address) => written.has(address)),
    }),
    at: new Date(times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : now).toISOString(),
  };
}

/**
 * Prepares edits for a commit's files. If a file also changed since the last apply, includes its text only if the user
 * named the object.
 */
async function findTexts(
  drift: Drift,
  manifest: Manifest,
  {
    named,
    onlyThisObject,
    declined,
    take,
  }: Pick<DriftProposalOptions, "named" | "onlyThisObject"> & {
    readonly declined: DeclinedEdits;
    readonly take: string;
  },
): Promise<PreparedEdits> {
  const wanted = drift.objects.map((object) => chooseFields(object, manifest, named, take));
  const edits = wanted.flatMap(({ fields }) => fields);
  const taken = dropDeclined(edits, declined, named);
  const prepared = await prepareEdits(taken.fields, manifest, onlyThisObject);
  return { fields: prepared.fields, refused: [...wanted, taken, prepared].flatMap(({ refused }) => refused) };
}

/** Keeps only the objects that are also in the second drift. An apply is changing the rest. */
function keepOnly(drift: Drift, { objects }: Drift): Drift {
  const kept = new Set(objects.map(({ address }) => address));
  return { ...drift, objects: drift.objects.filter(({ address }) => kept.has(address)) };
}

/** Returns the object's fields to write, and the reasons why conflicting fields and references are refused. */
function chooseFields(
  { address, kind, live, fields, successor }: DriftedObject,
  { declarations }: Manifest,
  named: readonly string[],
  take: string,
): { readonly fields: readonly FieldToWrite[]; readonly refused: readonly RefusedEdit[] } {
  const declaration = declarations.find((one) => one.address === address);
  if (!live) {
    const now = successor === undefined ? "" : ` Another object now has its name: ${successor}.`;
    return { fields: [], refused: [{ address, reason: `The object is no longer in the account.${now}` }] };
  }
  if (!declaration) return { fields: [], refused: [{ address, reason: "It was removed from the files." }] };
  const isNamed = named.includes(address);
  const open = fields.filter(({ files }) => files === "applied" || (isNamed && files === "other"));
  const taken = open.filter(({ type }) => type !== "reference");
  const refused = fields.flatMap(({ field, type, files }): RefusedEdit[] => {
    if (files === "other" && !isNamed) return [{ address, field, reason: describeConflict(address, take) }];
    return type === "reference" && files !== "live" ? [{ address, field, reason: reference }] : [];
  });
  return {
    fields: taken.map(({ field }) => ({ declaration, field, value: getLiveValue(kind, live, field) })),
    refused,
  };
}

const reference = `The field now refers to another object. To keep the edit: ${referenceAdvice}`;

/**
 * Explains a conflict with the commands that resolve it. `take` contains the options of `drift` that keep the live
 * text.
 */
function describeConflict(address: string, take: string): string {
  return `It changed both in the files and in the account. Keep the live text: \`avatarops drift ${take} ${address}\`. Keep the file's text: \`avatarops apply --overwrite-drift\`.`;
}
