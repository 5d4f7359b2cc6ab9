import { UsageError } from "../../base/diagnostics/index.js";
import { type Drift, type DriftedObject, findDrift } from "../../core/engine/index.js";
import { loadManifest, type Manifest, writeBack } from "../../core/manifest/index.js";
import type { ProposalFacts } from "../../output/documents/index.js";
import { toLoadOptions } from "../open-project.js";
import { hasCode } from "../project.js";
import {
  type FieldToWrite,
  liveValue,
  type PreparedEdit,
  placeAll,
  type Refusal,
  toEdits,
  withoutRefused,
} from "../pull-places.js";
import type { Runtime } from "../runtime.js";
import { type Checkout, checkOut } from "./checkout.js";
import type { FileEntry } from "./commit.js";
import { type DeclinedEdits, splitDeclined } from "./declined.js";
import type { ObservedDrift } from "./observe-drift.js";
import type { Remote } from "./remote.js";

/** What can be brought back into the files of a commit. */
export interface Proposal {
  /** The manifest of that commit. */
  readonly manifest: Manifest;
  /** Compared with the files of that commit. */
  readonly drift: Drift;
  readonly fields: readonly PreparedEdit<FieldToWrite>[];
  readonly refused: readonly Refusal[];
  /** The files with the live texts, by path in the repository. */
  readonly files: ReadonlyMap<string, FileEntry>;
}

/**
 * Writes what was edited elsewhere into the files of a commit, in a temporary folder: what those files still have as
 * it was last applied, and what they have otherwise only of the objects that are named.
 */
export async function bringBack(
  runtime: Runtime,
  project: Manifest,
  seen: ObservedDrift,
  {
    remote,
    commit,
    named,
    declined,
  }: {
    readonly remote: Remote;
    readonly commit: string;
    readonly named: readonly string[];
    readonly declined: DeclinedEdits;
  },
): Promise<Proposal> {
  const checkout = await checkOut(remote, commit, { whole: hasCode(project) });
  const manifest = await load(runtime, project, checkout, commit);
  const drift = withOnly(findDrift({ ...seen, manifest }), seen.drift);
  const wanted = drift.objects.map((object) => fieldsToWrite(object, manifest, named));
  const [left, taken] = splitDeclined(
    wanted.flatMap(({ fields }) => fields),
    declined,
    named,
  );
  const placed = placeAll(taken, manifest);
  const written = await writeBack(manifest.root, toEdits(placed.fields));
  const { fields, refused } = withoutRefused(placed.fields, written);
  const files = written.files.map(({ file }) => file);
  return {
    ...{ manifest, drift, fields },
    refused: [...wanted.flatMap((one) => one.refused), ...left, ...placed.refused, ...refused],
    files: await checkout.changed(files),
  };
}

/** The project as the commit has it. */
async function load(
  runtime: Runtime,
  project: Manifest,
  checkout: Checkout,
  commit: string,
): Promise<Manifest> {
  const options = { ...toLoadOptions(runtime), cwd: checkout.project, file: project.file };
  const { manifest, diagnostics } = await loadManifest(options);
  if (manifest) return manifest;
  const first = diagnostics.find(({ severity }) => severity === "error");
  const place = first?.place ? `${first.place.file}:${first.place.line}: ` : "";
  throw new UsageError(
    "invalid-base",
    `The files of commit ${commit.slice(0, 12)} have errors, so nothing can be written into them: ${place}${first?.message ?? "there is no project"}.`,
  );
}

/** Without the objects that an apply is changing. */
function withOnly(drift: Drift, { objects }: Drift): Drift {
  const kept = new Set(objects.map(({ address }) => address));
  return { ...drift, objects: drift.objects.filter(({ address }) => kept.has(address)) };
}

/** The fields of an object to write, and why others are not. */
function fieldsToWrite(
  { address, kind, live, settled, fields, successor }: DriftedObject,
  { declarations }: Manifest,
  named: readonly string[],
): { readonly fields: Parameters<typeof placeAll>[0]; readonly refused: readonly Refusal[] } {
  const declaration = declarations.find((one) => one.address === address);
  if (!live) {
    const now = successor === undefined ? "" : ` Another object has its name now: ${successor}.`;
    return { fields: [], refused: [{ address, reason: `The account no longer has it.${now}` }] };
  }
  if (!declaration) return { fields: [], refused: [{ address, reason: "No file declares it any more." }] };
  const isNamed = named.includes(address);
  const open = fields.filter(({ files }) => files === "applied" || (isNamed && files === "other"));
  const taken = open.filter(({ type }) => type !== "reference");
  const refused = fields.flatMap(({ field, type, files }): Refusal[] => {
    if (files === "other" && !isNamed) return [{ address, field, reason: conflict(address) }];
    return type === "reference" && files !== "live" ? [{ address, field, reason: reference }] : [];
  });
  return {
    fields: taken.map(({ field }) => {
      return { declaration, field, value: liveValue(kind, live, field), live, settled };
    }),
    refused,
  };
}

const reference = "It refers to another object now: write the name of its declaration into the file.";

function conflict(address: string): string {
  return `It changed here and elsewhere. \`avatarops drift --pull-request ${address}\` takes the live text and drops the one in the file; \`avatarops apply --overwrite-drift\` does the opposite.`;
}

/** The same for documents. */
export function proposalFacts({
  fields,
  refused,
}: Pick<Proposal, "fields" | "refused">): Pick<ProposalFacts, "written" | "refused"> {
  return {
    written: fields.map(({ declaration: { address }, field, edit }) => ({
      ...{ address, field, file: edit.origin.file },
    })),
    refused,
  };
}
