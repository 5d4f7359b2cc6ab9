import type { SourceRange } from "../../../base/diagnostics/index.js";
import { preset as descriptor, isExactInJson, type PresetFields, presetKey } from "../../kinds/index.js";
import { readSource } from "../sources/source-tag.js";
import { isNamedLikeSecret, looksLikeKey } from "../sources/variable-name.js";
import { isNothing, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { toPlain, type Visitor } from "../tree/to-plain.js";
import type { PresetSource } from "./manifest.js";

/*
 * `extra:` of a preset, at its top and in each of its groups: what the service accepts in addition to the fields of the
 * interface (§4.5). It is JSON, and sent as it stands. Some of it is secret, such as the token of somebody's own
 * room: any value in it can come from a source, which is read when a token is requested and at no other time.
 */

/** The values of every `extra:` of a preset. */
export interface PresetExtra {
  /** By the path of the group in the request: "" is the top, "avatar_persona." a group. */
  readonly values: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The keys at the top, also those that come from sources. */
  readonly keys: ReadonlySet<string>;
  readonly sources: readonly PresetSource[];
}

/** The preset without its `extra:`s, and what is in them; undefined if there are errors in it. */
export function splitExtra(
  preset: Node,
  subject: string,
  reading: Reading,
): { readonly node: Node; readonly extra: PresetExtra | undefined } {
  const values = new Map<string, Record<string, unknown>>();
  const sources: PresetSource[] = [];
  let keys: ReadonlySet<string> = new Set();
  let isBroken = false;
  const refuse = (code: string, message: string, at: SourceRange, hint: string) => {
    isBroken = true;
    reading.collector.error(code, message, at, hint);
  };
  const json: Visitor = {
    special(node, path, name) {
      const source = node.broken ? undefined : readSource(node, name, reading);
      if (source) sources.push({ path, source });
      else isBroken = true;
      return undefined;
    },
    literal({ value, ...at }, name, key) {
      if (typeof value === "number" && !isExactInJson(value)) {
        const message = `${name} is a number that JSON cannot hold exactly`;
        refuse("wrong-type", message, at, "put it in quotes, if the service takes a text");
      }
      if (typeof value !== "string") return;
      const hint = "use a source: !env NAME, !file path or !exec [command, argument]";
      if (looksLikeKey(value)) {
        const message = `${name} must not be a literal: it would put a secret into git`;
        refuse("literal-secret", message, at, hint);
      } else if (isNamedLikeSecret(key, value)) {
        const message = `${name} looks like a secret, and is in the file`;
        reading.collector.warning("literal-secret", message, at, hint);
      }
    },
  };
  const take = (extra: Node, fields: PresetFields, path: readonly string[], name: string): void => {
    if (extra.broken) isBroken = true;
    if (extra.broken || isNothing(extra)) return;
    if (extra.is !== "map" || extra.tag) {
      const hint = "write the service's keys under it, indented";
      refuse("wrong-type", `${name} must be a mapping`, extra, hint);
      return;
    }
    const free = new Map(extra.entries);
    for (const [key, { range }] of extra.entries) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (!field) continue;
      free.delete(key);
      const own = field.type === "reference" ? `${field.kind.name}: or ${key}` : presetKey(key, field);
      const message = `${name} has ${JSON.stringify(key)}, which is a field of its own`;
      refuse("field-in-extra", message, range, `write ${own}: beside ${descriptor.extra.key}:`);
    }
    const taken = toPlain({ ...extra, entries: free }, path, name, json) as Record<string, unknown>;
    values.set(path.map((key) => `${key}.`).join(""), taken);
    if (path.length === 0) keys = new Set(extra.entries.keys());
  };
  /** A group without its `extra:`, which is read; likewise the groups in it. */
  const split = (group: Node, fields: PresetFields, path: readonly string[], name: string): Node => {
    if (group.is !== "map" || group.tag) return group;
    const entries = new Map(group.entries);
    const extra = entries.get(descriptor.extra.key);
    if (extra) take(extra.value, fields, path, `${name}.${descriptor.extra.key}`);
    entries.delete(descriptor.extra.key);
    for (const [field, inner] of Object.entries(fields)) {
      const key = presetKey(field, inner);
      const entry = inner.type === "group" && entries.get(key);
      if (!entry || inner.type !== "group") continue;
      const value = split(entry.value, inner.fields, [...path, field], `${name}.${key}`);
      entries.set(key, { ...entry, value });
    }
    return { ...group, entries };
  };
  const node = split(preset, descriptor.fields, [], subject);
  return { node, extra: isBroken ? undefined : { values, keys, sources } };
}
