import type * as z from "zod";
import type { SourceRange } from "../../../base/diagnostics/index.js";
import { isGits, misplacedCredentials, readScheme } from "../../../base/files/index.js";
import {
  type Kind,
  kinds,
  profileNames,
  type RemovalPolicy,
  valueSettings,
  withProfile,
} from "../../kinds/index.js";
import { type reviewsForm, serviceForm, settingsForm } from "../forms/form.js";
import { noticeTargetForm } from "../forms/notify-form.js";
import { defaultWaitMs, waitMs } from "../forms/wait.js";
import { defaultSources } from "../sources/source-tag.js";
import { type Entry, isNothing, type MapNode, type Node, nodeAt, rangeAt } from "../tree/node.js";
import { isBelow } from "../tree/project-files.js";
import type { Reading } from "../tree/reading.js";
import type { Manifest, NoticeTarget, ServiceSettings } from "./manifest.js";
import type { TemplateSettings } from "./templates.js";
import { readRecord } from "./values.js";

/** The top-level settings, each with its default. */
export type Settings = Pick<
  Manifest,
  "service" | "state" | "drift" | "thresholds" | "onRemoval" | "reviews" | "fingerprintKey" | "notify"
> &
  TemplateSettings;

/** Reads the settings; reports errors and uses the default instead. */
export function readSettings(root: MapNode, reading: Reading): Settings {
  const entries = new Map(
    [...root.entries].filter(([key]) => !readApart.has(key) && key in settingsForm.shape),
  );
  const record = readRecord({ ...root, entries }, root, "", settingsForm, reading);
  type Values = Partial<Pick<Settings, "state" | "drift" | keyof TemplateSettings>> & {
    readonly thresholds?: { readonly max_percent?: number; readonly min_objects?: number };
    readonly on_removal?: Readonly<Record<string, RemovalPolicy>>;
    readonly reviews?: z.infer<typeof reviewsForm>;
  };
  const values = (record?.values ?? {}) as Values;
  const { state = ".avatarops/state.json", drift = "refuse" } = values;
  const { variables = {}, templates = [], partials = "partials" } = values;
  const fingerprintKey = record?.sources.fingerprint_key;
  if (record) refuseStateOutside(state, root, reading);
  const service = readService(root, reading);
  const { max_percent: maxPercent = 30, min_objects: minObjects = 10 } = values.thresholds ?? {};
  const thresholds = { maxPercent, minObjects };
  const onRemoval = readOnRemoval(values.on_removal, service, root, reading);
  const notify = readNotify(root.entries.get("notify"), reading);
  const { require_approval: requireApproval = 0, comment = "always" } = values.reviews ?? {};
  const reviews = { requireApproval, comment };
  return {
    ...{ service, state, drift, thresholds, onRemoval, reviews },
    ...{ fingerprintKey, notify, variables, templates, partials },
  };
}

const readApart: ReadonlySet<string> = new Set(["service", "policies", "notify"]);

/** By the name of the kind. */
function readOnRemoval(
  written: Readonly<Record<string, RemovalPolicy>> | undefined,
  { profile }: ServiceSettings,
  root: MapNode,
  { collector }: Reading,
): Readonly<Record<string, RemovalPolicy>> | undefined {
  if (!written) return undefined;
  const meant = kinds.filter(({ collection }) => written[collection]);
  for (const kind of meant)
    if (written[kind.collection] === "delete" && !withProfile(kind, profile).remove)
      refuseDelete(
        `on_removal.${kind.collection}`,
        kind,
        rangeAt(root, root, ["on_removal", kind.collection]),
        collector,
      );
  return Object.fromEntries(
    meant.map(({ name, collection }) => [name, written[collection] as RemovalPolicy]),
  );
}

/** Reports a delete that the service does not offer. */
export function refuseDelete(
  subject: string,
  { collection }: Kind,
  range: SourceRange,
  collector: Reading["collector"],
): void {
  refuseUnoffered(
    `${subject} asks for a delete, and this service cannot delete ${collection}`,
    range,
    collector,
  );
}

/** Reports what only some deployments offer. */
export function refuseUnoffered(message: string, range: SourceRange, collector: Reading["collector"]): void {
  const hint = `if yours can, name its profile: service: { profile: ${profileNames.join(" or ")} }`;
  collector.error("needs-profile", message, range, hint);
}

/** Like the files it reads, the files a run writes and locks stay in the project. */
function refuseStateOutside(state: string, root: MapNode, { collector }: Reading): void {
  // The store that a URL names checks the rest of it.
  if (readScheme(state) !== undefined) {
    refuseCredentials(state, root, collector);
    if (isPlainHttp(state)) {
      const message = "state would be sent unencrypted, with the credentials of its store";
      collector.warning("insecure-url", message, rangeAt(root, root, ["state"]), "use https://…");
    }
    return;
  }
  if (isBelow(state) && !isGits(state)) return;
  const hint = "name a file in the project folder, such as .avatarops/staging.json";
  const where = isBelow(state) ? "into git's own folder" : "outside the project folder";
  const message = `state ${JSON.stringify(state)} leads ${where}`;
  collector.error("outside-project", message, rangeAt(root, root, ["state"]), hint);
}

/** The manifest is in git, and its lines are shown with errors. */
function refuseCredentials(state: string, root: MapNode, collector: Reading["collector"]): void {
  const hint = misplacedCredentials(state);
  if (hint === undefined) return;
  const range = rangeAt(root, root, ["state"]);
  collector.error("credentials-in-url", "the URL of the state has credentials in it", range, hint);
}

function readService(root: MapNode, reading: Reading): ServiceSettings {
  const entry = root.entries.get("service");
  const record = entry && readRecord(entry.value, entry.range, "service", serviceForm, reading);
  const values = (record?.values ?? {}) as z.infer<typeof serviceForm>;
  if (entry) warnOfPlainHttp(values.base_url, entry.value, reading);
  const { base_url, timeout_seconds, wait_for_idle } = values;
  const lists = values as Readonly<Record<string, string[] | undefined>>;
  return {
    // With an error in `service:`, objects of the profile it names are no further errors.
    profile: record ? values.profile : entry && nodeAt(entry.value, ["profile"]) && profileNames[0],
    baseUrl:
      typeof base_url === "string"
        ? { literal: base_url }
        : (record?.sources.base_url ?? defaultSources.baseUrl),
    apiKey: record?.sources.api_key ?? defaultSources.apiKey,
    allowedValues: Object.fromEntries(valueSettings.map(({ name }) => [name, lists[name] ?? []])),
    successCodes: values.success_codes,
    sandboxAvatar: values.sandbox_avatar,
    sessionDurationUnit: values.session_duration_unit,
    creditPrice: values.credit_price,
    concurrency: values.concurrency,
    requestsPerSecond: values.requests_per_second,
    timeoutMs: timeout_seconds && timeout_seconds * 1000,
    waitForIdleMs: wait_for_idle === true ? defaultWaitMs : waitMs(wait_for_idle),
  };
}

/** Reads `notify:`; reports what is wrong and leaves it out. */
function readNotify(entry: Entry | undefined, reading: Reading): readonly NoticeTarget[] {
  if (!entry || isNothing(entry.value) || entry.value.broken) return [];
  const { value } = entry;
  if (value.is !== "list" || value.tag) {
    const hint = "write its entries under it, each as `- url: !env NAME`";
    reading.collector.error("wrong-type", "notify must be a list", value, hint);
    return [];
  }
  return value.items.flatMap((item, i): NoticeTarget[] => {
    const record = readRecord(item, item, `notify[${i}]`, noticeTargetForm, reading);
    const { url, secret } = record?.sources ?? {};
    const { format = "standard", events } = (record?.values ?? {}) as Partial<NoticeTarget>;
    return url ? [{ url, secret, format, events }] : [];
  });
}

function warnOfPlainHttp(baseUrl: unknown, service: Node, { collector }: Reading): void {
  if (typeof baseUrl !== "string" || !isPlainHttp(baseUrl)) return;
  const message = "service.base_url would send the API key unencrypted";
  collector.warning("insecure-url", message, rangeAt(service, service, ["base_url"]), "use https://…");
}

/** Whether everyone on the way can read what is sent there. */
function isPlainHttp(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
