import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../../base/diagnostics/index.js";
import { listNames } from "../../base/text/index.js";
import type { PlanExit, Spec } from "../../core/kinds/index.js";
import {
  createOverlay,
  createOverrideFinder,
  type Declaration,
  type DeclarationEdit,
  editFiles,
  findOrigin,
  loadManifest,
  type Manifest,
  type NodeOrigin,
  type ReadFile,
  readFileText,
  toOriginKey,
  writeBack,
} from "../../core/manifest/index.js";
import { compose, placeEdits } from "../../core/templates/index.js";
import {
  type ComparedObject,
  type DiffDocument,
  listDifferingFields,
  toDiff,
  toDiffDocument,
  toPlanDocument,
  toPlanExit,
} from "../../output/documents/index.js";
import { assertFound, InvalidProjectError, loadProject, toLoadOptions } from "../project/open-project.js";
import { findUncommitted } from "../project/uncommitted.js";
import { runInFolder } from "../runtime/run-in-folder.js";
import type { Runtime } from "../runtime/runtime.js";
import { planProject } from "./plan-project.js";

/** Loads the manifest for an environment. */
async function load(runtime: Runtime, env: string | undefined, readFile?: ReadFile): Promise<Manifest> {
  const options = toLoadOptions({ ...runtime, options: { ...runtime.options, env } });
  const { manifest: project, diagnostics } = await loadManifest({
    ...options,
    ...(readFile && { readFile }),
  });
  return assertFound(runtime, { ...(project && { project }), diagnostics });
}

/** Loads the manifest without an environment. Returns undefined for code that requires an environment. */
async function loadPlain(runtime: Runtime): Promise<Manifest | undefined> {
  try {
    return await load(runtime, undefined);
  } catch (error) {
    if (error instanceof InvalidProjectError) return undefined;
    throw error;
  }
}

function find({ declarations }: Manifest, address: string): Declaration | undefined {
  return declarations.find((one) => one.address === address);
}

/** Composes an object's texts with another environment's variables. */
export function withValuesFrom(other: Manifest, { address, spec, origins }: Declaration): Spec {
  const texts = Object.entries(origins).flatMap(([field, origin]) => {
    if (origin.at !== "template") return [];
    const { main, input } = origin.composition;
    const its = find(other, address)?.origins[field];
    const values = its?.at === "template" ? its.composition.input.variables : Object.entries(other.variables);
    const variables = new Map([...input.variables, ...values]);
    return [[field, compose(main, { ...input, variables }).text]];
  });
  return { ...spec, ...Object.fromEntries(texts) };
}

/**
 * Compares two sides. A side is `files`, `account`, or an environment name, which means the environment's files. A
 * comparison of two environments uses the variables of the second one for both, so that only other differences remain.
 *
 * @returns the differences; `exit` also shows whether the whole account was compared.
 * @throws UsageError, InvalidProjectError, ServiceError
 */
export async function compareSides(
  runtime: Runtime,
  from: string,
  to: string,
): Promise<{ readonly document: DiffDocument; readonly exit: PlanExit }> {
  if (from === to) throw new UsageError("usage", `Both sides are ${from}. Choose two different sides.`);
  if (from === "account" || to === "account") {
    // The side `account` refers to the environment on the other side.
    const given = runtime.options.env;
    const env = [from, to].find((side) => side !== "files" && side !== "account") ?? given;
    if (given !== undefined && given !== env)
      throw new UsageError("usage", `${env} is always compared with its own account. Remove --env.`);
    return compareAccount({ ...runtime, options: { ...runtime.options, env } }, from, to);
  }
  const nameEnvironment = (side: string) => (side === "files" ? runtime.options.env : side);
  const objects = compareFiles(
    await load(runtime, nameEnvironment(from)),
    await load(runtime, nameEnvironment(to)),
    from,
    to,
  );
  return { document: toDiffDocument(from, to, objects), exit: objects.length > 0 ? "changes" : "nothing" };
}

function compareFiles(one: Manifest, other: Manifest, from: string, to: string): ComparedObject[] {
  const addresses = new Set([...one.declarations, ...other.declarations].map(({ address }) => address));
  const createEntry = (applied: Spec) => ({ id: "", applied });
  return [...addresses].flatMap((address) => {
    const [before, after] = [find(one, address), find(other, address)];
    const old = before && createEntry(withValuesFrom(other, before));
    const fields = listDifferingFields(address, old, after && createEntry(after.spec));
    const only = before && after ? {} : { only_in: before ? from : to };
    return fields.length > 0 ? [{ address, ...only, fields }] : [];
  });
}

/**
 * Compares the files with the account. Includes edits that an apply would skip, and warns about objects that could not
 * be compared.
 */
async function compareAccount(runtime: Runtime, from: string, to: string) {
  const project = await loadProject(runtime);
  const { plan } = await planProject(runtime, project);
  const document = toDiff(toPlanDocument(plan), from, to);
  for (const { code, message } of plan.notices)
    if (code === "unverified" || code === "unstable-list") runtime.output.warn(message);
  for (const { action, address, notes } of plan.changes)
    if (["unreadable", "ambiguous", "missing"].includes(action) && notes.length > 0)
      runtime.output.warn(`${address}: ${notes.join(" ")}`);
  // Adopting an object that matches its declaration is a change without a difference.
  const changes = plan.changes.filter(({ action, fields }) => action !== "adopt" || fields.length > 0);
  return { document, exit: toPlanExit({ changes }) };
}

/**
 * Copies the uncomposed texts of an object from one environment to the files of another. A text that the target inherits
 * becomes an override. Loads the edited files in memory first, to check that only these texts change.
 *
 * @returns the written files, and the fields that still differ, as in `compareSides`.
 * @throws UsageError, InvalidProjectError
 */
export async function promote(
  runtime: Runtime,
  address: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<{ readonly files: readonly string[]; readonly left: readonly string[] }> {
  const createNotPromotedError = (why: string) =>
    new UsageError("not-promoted", `Nothing was written: ${why}`);
  const [one, other] = [await load(runtime, from), await load(runtime, to)];
  const [source, target] = [find(one, address), find(other, address)];
  if (!source || !target)
    throw createNotPromotedError(
      `no file declares ${address} for ${source ? to : from}. Declare it there first.`,
    );
  const offered = withValuesFrom(other, source);
  const texts = Object.entries(offered).filter(
    ([name, value]) => "prose" in (source.kind.fields[name] ?? {}) && value !== target.spec[name],
  );
  const plain = await loadPlain(runtime);
  const findOverride = createOverrideFinder(other);
  const overridden = new Set<string>();
  const edits = texts.flatMap(([name, value]): DeclarationEdit[] => {
    const [written, origin] = [source.origins[name], findOrigin(target, name)];
    if (!origin) return [];
    if (findOverride && isInherited(plain && find(plain, address), name, origin)) {
      overridden.add(name);
      return [{ origin: findOverride(target, name), value }];
    }
    if (origin.at !== "template") return [{ origin, value }];
    if (written?.at !== "template") {
      const put = placeEdits(origin.composition, String(value));
      return [{ origin, value, replaced: "edits" in put ? put.edits : undefined }];
    }
    const { main, input } = written.composition;
    return [{ origin: { at: "file", file: origin.file }, value: readFileText(main.text, input.start) }];
  });
  const { files, refused } = editFiles(other.root, edits);
  for (const { origin, reason } of refused)
    throw createNotPromotedError(`${origin.file} cannot be edited: ${reason}.`);
  const readFile = createOverlay(other.root, files);
  const known = new Map<string | undefined, Manifest>(Object.entries({ [from]: one, [to]: other }));
  if (plain) known.set(undefined, plain);
  for (const env of [...(plain ? [undefined] : []), ...other.environments.keys()]) {
    const before = known.get(env) ?? (await load(runtime, env));
    const after = await load(runtime, env, readFile);
    const wrong = after.declarations.find((now) => {
      const wanted = env === to && now.address === address ? Object.fromEntries(texts) : {};
      return !isDeepStrictEqual(now.spec, { ...find(before, now.address)?.spec, ...wanted });
    });
    if (!wrong) continue;
    throw createNotPromotedError(
      `the edit would unintentionally change ${wrong.address} ${env === undefined ? "without --env" : `in ${env}`}. Give ${to} its own text under \`environments.${to}\` in ${other.file}.`,
    );
  }
  const replaced = texts.map(([name]) => name).filter((name) => !overridden.has(name));
  await assertCommitted(runtime, other, target, replaced, createNotPromotedError);
  await runInFolder(other.root, () => writeBack(other.root, edits));
  const now = { ...target.spec, ...Object.fromEntries(texts) };
  const left = listDifferingFields(address, { id: "", applied: offered }, { id: "", applied: now });
  return { files: files.map(({ file }) => file), left: left.map(({ field }) => field) };
}

/** Returns whether a field has the same location without an environment, so that an edit would change both. */
function isInherited(plain: Declaration | undefined, field: string, origin: NodeOrigin): boolean {
  const own = plain && findOrigin(plain, field);
  return own !== undefined && toOriginKey(own) === toOriginKey(origin);
}

/** Rejects a promotion that would drop uncommitted texts. Outside a repository, nothing is rejected. */
async function assertCommitted(
  runtime: Runtime,
  manifest: Manifest,
  declaration: Declaration,
  fields: readonly string[],
  createError: (why: string) => UsageError,
): Promise<void> {
  const replaced = fields.flatMap((field) =>
    declaration.spec[field] === undefined ? [] : [{ declaration, field }],
  );
  const uncommitted = await findUncommitted(runtime, manifest, replaced);
  if (uncommitted === "no-repository" || uncommitted.length === 0) return;
  const names = uncommitted.map(({ field }) => `${declaration.address}.${field}`);
  throw createError(
    `promoting would drop uncommitted edits of ${listNames(names)} in ${manifest.environment}. Commit or undo them first.`,
  );
}
