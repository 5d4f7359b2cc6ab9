import { ignoreGitFailure } from "../../base/git/index.js";
import { abbreviate } from "../../base/text/index.js";
import { describeNewSource, type FieldChange, type Plan } from "../../core/engine/index.js";
import { type CommittedFiles, findRepository, loadCommitted, readHistory } from "../../core/history/index.js";
import { type Declaration, isSourceSafeToPrint } from "../../core/manifest/index.js";
import {
  describe,
  getLoadedKind,
  identifySource,
  listWrittenFields,
  type SourceEnvironment,
  type ValueSource,
} from "../../core/secrets/index.js";
import type { State } from "../../core/state/index.js";
import { createSourceEnvironment } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";

/*
 * The state contains only the digest of a secret source. To show the source itself, commits are searched for a
 * declaration with this digest.
 */

/** A value whose declared source has changed since the value was last sent. */
interface MovedSource {
  readonly address: string;
  readonly field: string;
  /** Digest of the source of the last sent value. */
  readonly written: string;
}

interface SourcesInput {
  readonly state: State | undefined;
  /** Commit that may declare the earlier source. */
  readonly base?: string | undefined;
}

/** Maximum numbers of records and commits to search for an earlier source. */
const [maxRecords, maxCommits] = [50, 5];
const maxDescription = 200;

/** Adds the old and new source of each value whose source changed, for display. Keeps the plan's digest. */
export async function withSources(
  runtime: Runtime,
  project: Project,
  plan: Plan,
  { state, base }: SourcesInput,
): Promise<Plan> {
  const declared = mapByAddress(project.declarations);
  const environment = createSourceEnvironment(runtime, project);
  const moved: MovedSource[] = [];
  for (const { address, fields } of plan.changes)
    for (const { field, type } of fields) {
      const source = type === "write-only" ? declared.get(address)?.sources[field] : undefined;
      const sent = state?.objects[address]?.versions?.[field];
      if (!source || sent?.written === undefined) continue;
      const identity = await identifySource(source, environment);
      if (sent.source !== identity.source && sent.written !== identity.written)
        moved.push({ address, field, written: sent.written });
    }
  if (moved.length === 0) return plan;
  const earlier = await findEarlier(runtime, project, moved, { state, base });
  const toShown = (address: string, change: FieldChange): FieldChange => {
    const source = declared.get(address)?.sources[change.field];
    const isMoved = moved.some((one) => one.address === address && one.field === change.field);
    if (!source || !isMoved) return change;
    const before = earlier.get(`${address} ${change.field}`);
    return { ...change, shownSources: describeBoth(before, source, environment) };
  };
  const isShownBySources = (address: string, note: string) =>
    moved.some((one) => one.address === address && note === describeNewSource(one.field));
  const changes = plan.changes.map((change) => ({
    ...change,
    fields: change.fields.map((field) => toShown(change.address, field)),
    notes: change.notes.filter((note) => !isShownBySources(change.address, note)),
  }));
  return { ...plan, changes };
}

function mapByAddress(declarations: readonly Declaration[]): ReadonlyMap<string, Declaration> {
  return new Map(declarations.map((declaration) => [declaration.address, declaration]));
}

/** Finds the earlier sources in commits, by `ADDRESS FIELD`. */
async function findEarlier(
  runtime: Runtime,
  project: Project,
  moved: readonly MovedSource[],
  input: SourcesInput,
): Promise<ReadonlyMap<string, ValueSource>> {
  const found = new Map<string, ValueSource>();
  const environment = createSourceEnvironment(runtime, project);
  const search = async (declarations: readonly Declaration[]) => {
    const declared = mapByAddress(declarations);
    for (const { address, field, written } of moved) {
      const source = declared.get(address)?.sources[field];
      if (source && (await identifySource(source, environment)).written === written)
        found.set(`${address} ${field}`, source);
    }
    return found.size === moved.length;
  };
  if (await search(project.untrusted?.declarations ?? [])) return found;
  try {
    const git = { environment: runtime.host.environment, signal: runtime.signal };
    const repository = await findRepository(project.root, git);
    if (!repository) return found;
    const searched = new Set<string>();
    for await (const files of listCommits(runtime, project, moved, { ...input, folder: repository.prefix })) {
      const key = JSON.stringify(files);
      if (searched.has(key)) continue;
      if (searched.add(key).size > maxCommits) break;
      if (await search((await loadCommitted(repository, files))?.manifest?.declarations ?? [])) break;
    }
  } catch (error) {
    ignoreGitFailure(error);
  }
  return found;
}

/** Yields the base and the checked-out commit, then the commits whose values were sent, newest first. */
async function* listCommits(
  runtime: Runtime,
  project: Project,
  moved: readonly MovedSource[],
  { state, base, folder }: SourcesInput & { readonly folder: string },
): AsyncGenerator<CommittedFiles> {
  const { file, environment } = project;
  const location = { folder, file, ...(environment === undefined ? {} : { environment }) };
  if (base !== undefined) yield { ...location, commit: base };
  yield { ...location, commit: "HEAD" };
  let read = 0;
  for await (const item of readHistory(openProjectStore(runtime, project).readHistory(), state)) {
    if (++read > maxRecords) return;
    const { definitions, objects } = item.is === "record" && item.own ? item.record : {};
    if (!definitions || !moved.some(({ address }) => objects && Object.hasOwn(objects, address))) continue;
    const { modified: _, ...files } = definitions;
    yield files;
  }
}

/** Describes two sources. If the descriptions are equal, adds the differing fields. */
function describeBoth(
  before: ValueSource | undefined,
  after: ValueSource,
  environment: SourceEnvironment,
): NonNullable<FieldChange["shownSources"]> {
  const [old, now] = [before && describeSource(before, environment), describeSource(after, environment)];
  if (!before || old === undefined) return { after: now };
  if (old !== now) return { before: old, after: now };
  return { before: old + describeRest(before, after), after: now + describeRest(after, before) };
}

function describeSource(source: ValueSource, { kinds }: SourceEnvironment): string {
  const kind = kinds?.get(source.from) ?? getLoadedKind(source.from);
  const isShown = kind !== undefined && isSourceSafeToPrint(source, kind);
  return isShown ? abbreviate(describe(source, kinds), maxDescription) : `${source.from} source`;
}

/** Describes the differing fields. Omits the arguments of a command, which may contain tokens. */
function describeRest(source: ValueSource, other: ValueSource): string {
  const others = listWrittenFields(other);
  const different = Object.entries(listWrittenFields(source)).filter(
    ([name, value]) => JSON.stringify(others[name]) !== JSON.stringify(value),
  );
  return different
    .map(
      ([name, value]) =>
        `, ${typeof value === "object" ? `other ${name}` : `${name} ${abbreviate(String(value), maxDescription)}`}`,
    )
    .join("");
}
