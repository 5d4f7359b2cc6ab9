import {
  type AllowedValues,
  createObjectSchema,
  findKind,
  type Kind,
  kinds,
  preset,
  withProfile,
} from "../../kinds/index.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { findRangeAt, listEntries, type MapNode, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { readDeclaration } from "./declarations.js";
import type { Declaration, Policies, Preset } from "./manifest.js";
import { checkReference, type DeclaredNames } from "./names.js";
import { readPolicies } from "./policies.js";
import { checkVariables, readPreset } from "./presets.js";
import { type ManifestSettings, readSettings, reportNeedsProfile } from "./settings.js";
import { findStockNames } from "./stock.js";
import { openTemplates } from "./templates.js";

export interface Desired extends ManifestSettings {
  readonly declarations: readonly Declaration[];
  readonly presets: readonly Preset[];
  readonly policies?: Policies | undefined;
}

/** Caches results by node. Environments share most nodes, so each node is read only once. */
export interface ReadCache {
  /** Declarations by node, undefined for nodes with errors. */
  readonly objects: Map<Node, Declaration | undefined>;
  /** Collections from the first read. Most environments change only a few of them. */
  readonly collections: Map<
    Kind,
    { readonly node: Node | undefined; readonly found: readonly Declaration[] }
  >;
  /** Presets from the first read, and the nodes they depend on. */
  presets?: { readonly nodes: readonly (Node | undefined)[]; readonly presets: readonly Preset[] };
}

export function createReadCache(): ReadCache {
  return { objects: new Map(), collections: new Map() };
}

/** Reads a whole tree and reports all errors. The result is valid only if there are none. */
export function readDesired(root: MapNode, context: Reading, cache: ReadCache): Desired {
  const settings = readSettings(root, context);
  const { hasTemplateErrors } = settings;
  const reading = hasTemplateErrors
    ? context
    : { ...context, templates: openTemplates(settings, root, context) };
  const { allowedValues, profile } = settings.service;
  const offered = kinds.map((kind) => withProfile(kind, profile));
  const declarations = offered.flatMap((kind) => {
    const collection = root.entries.get(kind.collection)?.value;
    const known = cache.collections.get(kind);
    if (known && known.node === collection) return known.found;
    const found = collection ? readDeclarations(kind, collection, allowedValues, reading, cache) : [];
    reportDuplicates(found, reading.collector);
    if (!known) cache.collections.set(kind, { node: collection, found });
    return found;
  });
  checkReferences(declarations, root, reading);
  const written = root.entries.get("policies");
  const read = written || reading.isJudged ? readPolicies(written, reading) : undefined;
  // Without the templates, the texts are not what the policies check.
  const policies = hasTemplateErrors ? undefined : read;
  const presets = readPresets(root, reading, cache);
  checkVariables(root, { presets, declarations }, reading);
  for (const { kind, subject, range } of findStockNames({ declarations, presets })) {
    if (offered.find(({ name }) => name === kind)?.listStock) continue;
    reportNeedsProfile(`${subject} is a stock ${kind}, but this service has none`, range, reading.collector);
  }
  return { ...settings, policies, declarations, presets };
}

function readPresets(root: MapNode, reading: Reading, cache: ReadCache): readonly Preset[] {
  const collections = [preset.collection, ...kinds.map(({ collection }) => collection)];
  const nodes = collections.map((name) => root.entries.get(name)?.value);
  if (cache.presets && nodes.every((node, i) => node === cache.presets?.nodes[i]))
    return cache.presets.presets;
  const names = listDeclaredNames(root);
  const presets = [...listEntries(root.entries.get(preset.collection)?.value)].flatMap(
    ([key, entry]) => readPreset(key, entry, names, reading) ?? [],
  );
  cache.presets ??= { nodes, presets };
  return presets;
}

/** Reports references to undeclared objects. */
function checkReferences(declarations: readonly Declaration[], root: MapNode, reading: Reading): void {
  const names = listDeclaredNames(root);
  for (const { address, kind: owner, key, range, references = {} } of declarations) {
    for (const [field, target] of Object.entries(references)) {
      const kind = findKind(target.slice(0, target.indexOf(".")));
      if (!kind) throw new Error(`Bug: ${address}.${field} refers to a kind that does not exist`);
      const value = listEntries(root.entries.get(owner.collection)?.value).get(key)?.value;
      const at = value ? findRangeAt(range, value, [field]) : range;
      const hint = `declare the object under ${kind.collection}: and use its name`;
      const name = target.slice(kind.name.length + 1);
      checkReference(`${address}.${field}`, kind, name, at, names, reading, hint);
    }
  }
}

function listDeclaredNames(root: MapNode): DeclaredNames {
  return new Map(
    kinds.map(({ name, collection }) => [name, listEntries(root.entries.get(collection)?.value)]),
  );
}

function readDeclarations(
  kind: Kind,
  collection: Node,
  allowed: AllowedValues,
  reading: Reading,
  { objects }: ReadCache,
): Declaration[] {
  const form = createObjectSchema(kind, allowed);
  const found: Declaration[] = [];
  for (const [key, entry] of listEntries(collection)) {
    // Checks the key as well, because an alias lets one node declare two objects.
    const known = objects.get(entry.value);
    const isKnown = known?.key === key && known.kind === kind;
    const declaration = isKnown ? known : readDeclaration(kind, key, entry, form, reading);
    if (!isKnown) objects.set(entry.value, declaration);
    if (declaration) found.push(declaration);
  }
  return found;
}

/** Reports objects with the same id, and objects with the same name. */
function reportDuplicates(declarations: readonly Declaration[], collector: DiagnosticsCollector): void {
  const byId = new Map<string, Declaration>();
  const byLabel = new Map<string, Declaration>();
  for (const declaration of declarations) {
    const { kind, stock, id = stock, spec, address, range } = declaration;
    const same = id && byId.get(`${kind.name} ${id.toLowerCase()}`);
    if (same) {
      collector.error(
        "duplicate-id",
        `${address} has the same id as ${same.address}`,
        range,
        `remove one of them (${describePosition(same)})`,
      );
    } else if (id) byId.set(`${kind.name} ${id.toLowerCase()}`, declaration);
    const label = spec[kind.label];
    // Same names are only a problem for objects that are found by name.
    if (typeof label !== "string" || kind.identity !== "created" || !kind.list) continue;
    const sameName = byLabel.get(`${kind.name} ${label}`);
    if (sameName) {
      const message = `${address} has the same ${kind.label} as ${sameName.address}`;
      collector.warning(
        "same-label",
        message,
        declaration.keys?.[kind.label] ?? range,
        `rename one of them, because the service may reject the second (${describePosition(sameName, kind.label)})`,
      );
    } else byLabel.set(`${kind.name} ${label}`, declaration);
  }
}

function describePosition({ address, range, keys }: Declaration, field = ""): string {
  const { source, start } = keys?.[field] ?? range;
  const { file, line } = source.locate(start);
  return `${address} is at ${file}:${line}`;
}
