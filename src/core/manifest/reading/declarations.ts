import type * as z from "zod";
import { openSourceFile, type SourceRange } from "../../../base/diagnostics/index.js";
import {
  type Field,
  getEmptyValue,
  ignoreFields,
  isManageable,
  type Kind,
  listReferenceFields,
  listWriteOnlyFields,
  type ObjectField,
  type ObjectValue,
  type RemovalPolicy,
  type RotationPolicy,
  readStockName,
  type Spec,
  toAddress,
  toVersionField,
  type Value,
} from "../../kinds/index.js";
import { readFileName } from "../sources/source-tag.js";
import { findRangeAt, type MapEntry, type Node, type NodeOrigin, toOrigin } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { Declaration } from "./manifest.js";
import { checkLogicalName } from "./names.js";
import { reportNeedsProfile, reportNoDelete } from "./settings.js";
import { findFileText, readRecord } from "./values.js";

/** Reads one declared object. Returns undefined if it has errors. */
export function readDeclaration(
  kind: Kind,
  key: string,
  entry: MapEntry,
  form: z.ZodObject,
  reading: Reading,
): Declaration | undefined {
  const address = toAddress(kind, key);
  if (!isManageable(kind)) {
    const message = `${address} is declared, but this service cannot manage ${kind.collection}`;
    reportNeedsProfile(message, entry.range, reading.collector);
    return undefined;
  }
  const isNamed = checkLogicalName(address, key, entry, reading.collector);
  const record = readRecord(entry.value, entry.range, address, form, reading);
  if (!record || !isNamed) return undefined;
  type CommonFields = {
    readonly id?: string;
    readonly protect?: boolean;
    readonly on_removal?: RemovalPolicy;
    readonly on_rotation?: RotationPolicy;
    readonly ignore_changes?: readonly string[];
  };
  const {
    id,
    protect,
    on_removal: onRemoval,
    on_rotation: onRotation,
    ignore_changes: ignoreChanges = [],
    ...rest
  } = record.values as CommonFields & Record<string, Value>;
  const stock = readStockName(id);
  const { versions, values } = splitVersions(kind, rest);
  const references = findReferences(kind, values);
  const deletes = { on_removal: onRemoval === "delete", on_rotation: onRotation === "delete_old" };
  for (const [name, needsDelete] of Object.entries(deletes))
    if (needsDelete && !kind.remove)
      reportNoDelete(
        `${address}.${name}`,
        kind,
        findRangeAt(entry.range, entry.value, [name]),
        reading.collector,
      );
  return {
    address,
    kind: ignoreChanges.length > 0 ? ignoreFields(kind, ignoreChanges) : kind,
    key,
    ...(Object.keys(references).length > 0 ? { references } : {}),
    ...(stock ? { stock: stock.name } : id === undefined ? {} : { id }),
    ...(protect === undefined ? {} : { protect }),
    ...(onRemoval === undefined ? {} : { onRemoval }),
    ...(onRotation === undefined ? {} : { onRotation }),
    spec: sortByTable(
      kind.fields,
      Object.fromEntries(Object.entries(values).filter(([name]) => !(name in references))),
    ),
    sources: Object.fromEntries(record.sources.map(({ path, source }) => [path[0], source])),
    ...(Object.keys(versions).length > 0 ? { versions } : {}),
    range: entry.range,
    keys: findKeys(entry.value),
    origins: findOrigins(kind, entry.value, reading),
  };
}

/** Separates the versions of write-only fields from the values, and converts numeric versions to strings. */
function splitVersions(kind: Kind, declared: Readonly<Record<string, Value>>) {
  const values = { ...declared };
  const versions: Record<string, string> = {};
  for (const name of listWriteOnlyFields(kind)) {
    const version: unknown = values[toVersionField(name)];
    delete values[toVersionField(name)];
    if (version !== undefined) versions[name] = String(version);
  }
  return { versions, values };
}

/** Finds the addresses that the declaration refers to. `checkReferences` reports missing objects. */
function findReferences(kind: Kind, values: Readonly<Record<string, Value>>): Record<string, string> {
  const named = listReferenceFields(kind).flatMap(([field, target]) => {
    const name = values[field];
    return typeof name === "string" ? [[field, `${target}.${name}`]] : [];
  });
  return Object.fromEntries(named);
}

/** Fills in the empty value for each undeclared part. */
function completeParts({ parts }: ObjectField, value: ObjectValue): ObjectValue {
  const unwritten = Object.entries(parts).flatMap(([name, part]): [string, Value][] => {
    const empty = value[name] === undefined ? getEmptyValue(part) : undefined;
    return empty === undefined ? [] : [[name, empty]];
  });
  return { ...value, ...Object.fromEntries(unwritten) };
}

/** Sorts fields in the kind's order, because the written order has no meaning and must not change digests. */
function sortByTable(fields: Readonly<Record<string, Field>>, values: Spec): Spec {
  const sortValue = (field: Field, value: Value): Value => {
    if (field.type === "list" && Array.isArray(value))
      return value.map((entry: Value) => sortValue(field.item, entry));
    return field.type === "object"
      ? sortByTable(field.parts, completeParts(field, value as ObjectValue))
      : value;
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = values[name];
      return value === undefined ? [] : [[name, sortValue(field, value)]];
    }),
  );
}

function findKeys(node: Node): Record<string, SourceRange> {
  if (node.is !== "map") return {};
  return Object.fromEntries([...node.entries].map(([name, { range }]) => [name, range]));
}

function findOrigins(kind: Kind, node: Node, reading: Reading): Record<string, NodeOrigin> {
  const origins: Record<string, NodeOrigin> = {};
  for (const name of Object.keys(kind.fields)) {
    const value = node.is === "map" ? node.entries.get(name)?.value : undefined;
    // References are never written back, because the account has an id where the file has a name.
    if (!value || kind.fields[name]?.type === "reference") continue;
    const isSource = listWriteOnlyFields(kind).includes(name);
    const text = isSource ? undefined : findFileText(value, reading);
    const { source, composition } = text ?? {};
    const file = isSource && value.tag === "!file" ? readFileName(value, reading) : source?.target;
    if (source && composition) origins[name] = { at: "template", file: source.target, composition };
    else if (value.tag === "!file" && file !== undefined) origins[name] = { at: "file", file };
    else origins[name] = toOrigin(value);
  }
  return origins;
}

/** Builds a declaration for an object that is only in the state, so that it can be read from the account. */
export function toDeclaration(kind: Kind, key: string, id: string, spec: Spec): Declaration {
  const range = { source: openSourceFile("", ""), start: 0, end: 0 };
  return { address: toAddress(kind, key), kind, key, id, spec, sources: {}, range, origins: {} };
}
