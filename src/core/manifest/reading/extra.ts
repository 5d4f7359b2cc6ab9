import type { SourceRange } from "../../../base/diagnostics/index.js";
import {
  preset as descriptor,
  isExactInJson,
  isOnlyField,
  type PresetFields,
  presetKey,
} from "../../kinds/index.js";
import { readSource } from "../sources/source-tag.js";
import { isNamedLikeSecret, looksLikeKey } from "../sources/variable-name.js";
import { type Entry, isNothing, type Node } from "../tree/node.js";
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
  /** Takes it out of the entries of a group. */
  const take = (group: Map<string, Entry>, fields: PresetFields, path: readonly string[], name: string) => {
    const extra = group.get(descriptor.extra.key)?.value;
    group.delete(descriptor.extra.key);
    if (!extra) return;
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
      if (!field || (!isOnlyField(key, fields) && !group.has(key))) continue;
      free.delete(key);
      const own = field.type === "reference" ? `${field.kind}: or ${key}` : presetKey(key, field);
      const message = `${name} has ${JSON.stringify(key)}, which is a field of its own`;
      refuse("field-in-extra", message, range, `write ${own}: beside ${descriptor.extra.key}:`);
    }
    const taken = toPlain({ ...extra, entries: free }, path, name, json) as Record<string, unknown>;
    values.set(path.map((key) => `${key}.`).join(""), taken);
  };
  /** A group without its `extra:`, which is read; likewise the groups in it. */
  const split = (group: Node, fields: PresetFields, path: readonly string[], name: string): Node => {
    if (group.is !== "map" || group.tag) return group;
    const entries = new Map(group.entries);
    take(entries, fields, path, `${name}.${descriptor.extra.key}`);
    for (const [field, inner] of Object.entries(fields)) {
      const key = presetKey(field, inner);
      const entry = entries.get(key);
      if (!entry) continue;
      const { value } = entry;
      const [at, subject] = [[...path, field], `${name}.${key}`];
      if (inner.type === "object")
        entries.set(key, { ...entry, value: split(value, inner.parts, at, subject) });
      if (inner.type === "string" && inner.writeOnly && value.tag) {
        toPlain(value, at, subject, json);
        entries.delete(key);
      }
      if (inner.type === "map" && value.is === "map" && !value.tag) {
        toPlain(value, at, subject, json);
        const literals = [...value.entries].filter(([, text]) => !text.value.tag);
        entries.set(key, { ...entry, value: { ...value, entries: new Map(literals) } });
      }
    }
    return { ...group, entries };
  };
  const node = split(preset, descriptor.fields, [], subject);
  return { node, extra: isBroken ? undefined : { values, sources } };
}
