import type * as z from "zod";
import type { SourceRange } from "../../../base/diagnostics/index.js";
import { findUrlProblem, isInGitFolder, readScheme } from "../../../base/files/index.js";
import { isUnencrypted } from "../../../base/http/index.js";
import {
  type Kind,
  kinds,
  profileNames,
  type RemovalPolicy,
  valueSettings,
  withProfile,
} from "../../kinds/index.js";
import { isFile, type ValueSource } from "../../secrets/index.js";
import { serviceForm, settingsForm } from "../forms/form.js";
import { parseWaitMs } from "../forms/wait.js";
import { defaultSources } from "../sources/source-tag.js";
import { findNodeAt, findRangeAt, isEmptyValue, listEntries, type MapNode, type Node } from "../tree/node.js";
import { isBelow } from "../tree/project-files.js";
import type { Reading } from "../tree/reading.js";
import type { Manifest, PresetSource, ServiceSettings } from "./manifest.js";
import type { TemplateSettings } from "./templates.js";
import { type ReadRecord, readRecord } from "./values.js";

/** The top-level settings with their defaults. */
export type ManifestSettings = Pick<
  Manifest,
  "service" | "state" | "drift" | "thresholds" | "onRemoval" | "reviews" | "fingerprintKey" | "notify"
> &
  TemplateSettings;

/** Reads the settings. Reports errors and falls back to the defaults, without effect on other settings. */
export function readSettings(root: MapNode, reading: Reading): ManifestSettings {
  const { failed, ...record } = readEach(root, reading);
  const values = record.values as z.infer<typeof settingsForm>;
  const { state = ".avatarops/state.json", drift = "refuse" } = values;
  const { variables = readKnownVariables(root), templates = [], partials = "partials" } = values;
  if (!failed.has("state")) checkState(state, root, reading);
  const service = readService(root, reading);
  const { max_percent: maxPercent = 30, min_objects: minObjects = 10 } = values.thresholds ?? {};
  const { require_approval: requireApproval = 0, comment = "always" } = values.reviews ?? {};
  const notify = values.notify?.map(({ format = "standard", events }, i) => ({
    url: findSource(record, "notify", i, "url") as ValueSource,
    secret: findSource(record, "notify", i, "secret"),
    ...{ format, events },
  }));
  return {
    ...{ service, state, drift, variables, templates, partials, notify: notify ?? [] },
    ...(failed.has("templates") || failed.has("partials") ? { hasTemplateErrors: true } : {}),
    thresholds: { maxPercent, minObjects },
    onRemoval: readOnRemoval(values.on_removal, service, root, reading),
    reviews: { requireApproval, comment },
    fingerprintKey: findSource(record, "fingerprint_key"),
  };
}

/** Reads each setting on its own. Returns the values and sources of the valid settings, and the names of the others. */
function readEach(root: MapNode, reading: Reading): ReadRecord & { readonly failed: ReadonlySet<string> } {
  const values: Record<string, unknown> = {};
  const sources: PresetSource[] = [];
  const failed = new Set<string>();
  for (const [name, entry] of root.entries) {
    if (!(name in settingsForm.shape) || name === "service" || name === "policies") continue;
    if (isEmptyValue(entry.value)) continue;
    const one = { ...root, entries: new Map([[name, entry]]) };
    const record = readRecord(one, root, "", settingsForm, reading);
    Object.assign(values, record?.values);
    sources.push(...(record?.sources ?? []));
    if (!record) failed.add(name);
  }
  return { values, sources, failed };
}

/** Reads `variables:` after an error. Invalid values are empty, so that templates that use them cause no more errors. */
function readKnownVariables(root: MapNode): Readonly<Record<string, string>> {
  const entries = listEntries(root.entries.get("variables")?.value);
  return Object.fromEntries(
    Array.from(entries, ([name, { value }]) => [
      name,
      value.is === "scalar" && typeof value.value === "string" && !value.tag ? value.value : "",
    ]),
  );
}

function findSource(
  record: ReadRecord | undefined,
  ...at: readonly (string | number)[]
): ValueSource | undefined {
  return record?.sources.find(({ path }) => path.join() === at.join())?.source;
}

/** Converts the keys of `on_removal` from collection names to kind names. */
function readOnRemoval(
  written: Readonly<Record<string, RemovalPolicy | undefined>> | undefined,
  { profile }: ServiceSettings,
  root: MapNode,
  { collector }: Reading,
): Readonly<Record<string, RemovalPolicy>> | undefined {
  if (!written) return undefined;
  const listed = kinds.filter(({ collection }) => written[collection]);
  for (const kind of listed)
    if (written[kind.collection] === "delete" && !withProfile(kind, profile).remove)
      reportNoDelete(
        `on_removal.${kind.collection}`,
        kind,
        findRangeAt(root, root, ["on_removal", kind.collection]),
        collector,
      );
  return Object.fromEntries(
    listed.map(({ name, collection }) => [name, written[collection] as RemovalPolicy]),
  );
}

/** Reports a delete that the service does not support. */
export function reportNoDelete(
  subject: string,
  { collection }: Kind,
  range: SourceRange,
  collector: Reading["collector"],
): void {
  reportNeedsProfile(
    `${subject} requires a delete, but this service cannot delete ${collection}`,
    range,
    collector,
  );
}

/** Reports a feature that only some deployments have. */
export function reportNeedsProfile(
  message: string,
  range: SourceRange,
  collector: Reading["collector"],
): void {
  const hint = `if your service can do this, set \`service: { profile: ${profileNames.join(" or ")} }\``;
  collector.error("needs-profile", message, range, hint);
}

/** Checks that `state` is a file inside the project or a safe URL. */
function checkState(state: string, root: MapNode, { collector, checkState: check }: Reading): void {
  if (readScheme(state) !== undefined) {
    rejectCredentials(state, root, collector);
    const problem = findUrlProblem(state) ? undefined : check?.(state);
    if (problem)
      collector.error(problem.code, problem.message, findRangeAt(root, root, ["state"]), problem.hint);
    if (isUnencrypted(state)) {
      const message = "the state and the store's credentials would be sent unencrypted";
      collector.warning("insecure-url", message, findRangeAt(root, root, ["state"]), "use https://…");
    }
    return;
  }
  if (isBelow(state) && !isInGitFolder(state)) return;
  const hint = "use a file in the project folder, such as .avatarops/staging.json";
  const where = isBelow(state) ? "into git's own folder" : "outside the project folder";
  const message = `state ${JSON.stringify(state)} leads ${where}`;
  collector.error("outside-project", message, findRangeAt(root, root, ["state"]), hint);
}

/** Rejects credentials in the URL, because the manifest is in git and errors show its lines. */
function rejectCredentials(state: string, root: MapNode, collector: Reading["collector"]): void {
  const found = findUrlProblem(state);
  if (!found) return;
  const range = findRangeAt(root, root, ["state"]);
  collector.error(found.code, `the state URL ${found.problem}`, range, found.advice);
}

function readService(root: MapNode, reading: Reading): ServiceSettings {
  const entry = root.entries.get("service");
  const record = entry && readRecord(entry.value, entry.range, "service", serviceForm, reading);
  const values = (record?.values ?? {}) as z.infer<typeof serviceForm>;
  if (entry) warnAboutPlainHttp(values.base_url, entry.value, reading);
  const fromSource = findSource(record, "base_url");
  // Rejects a private file, because the base URL appears in output.
  if (entry && fromSource && isFile(fromSource))
    reading.files.rejectPrivate(fromSource.path, findNodeAt(entry.value, ["base_url"]) ?? entry.range);
  const { base_url, timeout_seconds, wait_for_idle } = values;
  const lists = values as Readonly<Record<string, string[] | undefined>>;
  return {
    // After an error in `service:`, assumes a profile, so that objects that need one cause no further errors.
    profile: record ? values.profile : entry && findNodeAt(entry.value, ["profile"]) && profileNames[0],
    baseUrl: typeof base_url === "string" ? { literal: base_url } : (fromSource ?? defaultSources.baseUrl),
    apiKey: findSource(record, "api_key") ?? defaultSources.apiKey,
    allowedValues: Object.fromEntries(valueSettings.map(({ name }) => [name, lists[name] ?? []])),
    successCodes: values.success_codes,
    ignoreListCounts: values.ignore_list_counts,
    sandboxAvatar: values.sandbox_avatar,
    sessionDurationUnit: values.session_duration_unit,
    creditPrice: values.credit_price,
    concurrency: values.concurrency,
    requestsPerSecond: values.requests_per_second,
    timeoutMs: timeout_seconds && timeout_seconds * 1000,
    waitForIdleMs: parseWaitMs(wait_for_idle) || undefined,
  };
}

function warnAboutPlainHttp(baseUrl: unknown, service: Node, { collector }: Reading): void {
  if (typeof baseUrl !== "string" || !isUnencrypted(baseUrl)) return;
  const message = "service.base_url would send the API key unencrypted";
  collector.warning("insecure-url", message, findRangeAt(service, service, ["base_url"]), "use https://…");
}
