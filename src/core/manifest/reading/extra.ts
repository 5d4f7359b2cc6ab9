import { isExactInJson, type PresetFields, preset, presetKey } from "../../kinds/index.js";
import { readSource } from "../sources/source-tag.js";
import { isNamedLikeSecret, looksLikeKey } from "../sources/variable-name.js";
import { type Entry, isNothing, type Node, setOwn } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { PresetSource } from "./manifest.js";

/*
 * `extra:` of a preset, at its top and in each of its groups: what the service takes besides the fields of the
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

type Path = readonly (string | number)[];

/** The preset without its `extra:`s, and what is in them; undefined if there are errors in it. */
export function splitExtra(
  node: Node,
  subject: string,
  reading: Reading,
): { readonly node: Node; readonly extra: PresetExtra | undefined } {
  const reader = new ExtraReader(reading);
  const rest = reader.split(node, preset.fields, [], subject);
  return { node: rest, extra: reader.extra() };
}

/** Reads every `extra:` of a preset. */
class ExtraReader {
  readonly #reading: Reading;
  readonly #values = new Map<string, Record<string, unknown>>();
  readonly #sources: PresetSource[] = [];
  #keys: ReadonlySet<string> = new Set();
  #isBroken = false;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** What was read; undefined if there are errors in it. */
  extra(): PresetExtra | undefined {
    return this.#isBroken ? undefined : { values: this.#values, keys: this.#keys, sources: this.#sources };
  }

  /** A group without its `extra:`, which is read; likewise the groups in it. */
  split(group: Node, fields: PresetFields, path: readonly string[], name: string): Node {
    if (group.is !== "map" || group.tag) return group;
    const entries = new Map<string, Entry>();
    const groups = new Map(
      Object.entries(fields).flatMap(([field, inner]) =>
        inner.type === "group" ? [[presetKey(field, inner), { field, inner }] as const] : [],
      ),
    );
    for (const [key, entry] of group.entries) {
      const inside = groups.get(key);
      if (key === preset.extra.key) this.#take(entry.value, fields, path, `${name}.${key}`);
      else if (!inside) entries.set(key, entry);
      else {
        const { field, inner } = inside;
        const value = this.split(entry.value, inner.fields, [...path, field], `${name}.${key}`);
        entries.set(key, { ...entry, value });
      }
    }
    return { ...group, entries };
  }

  #take(extra: Node, fields: PresetFields, path: readonly string[], name: string): void {
    if (extra.broken) this.#isBroken = true;
    if (extra.broken || isNothing(extra)) return;
    if (extra.is !== "map" || extra.tag) {
      const hint = "write the service's keys under it, indented";
      this.#refuse("wrong-type", `${name} must be a mapping`, extra, hint);
      return;
    }
    const taken: Record<string, unknown> = {};
    for (const [key, { value, range }] of extra.entries) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field) {
        const own = field.type === "reference" ? `${field.kind.name}: or ${key}` : presetKey(key, field);
        const message = `${name} has ${JSON.stringify(key)}, which is a field of its own`;
        this.#refuse("field-in-extra", message, range, `write ${own}: beside ${preset.extra.key}:`);
      } else {
        const json = this.#json(value, [...path, key], `${name}.${key}`, key);
        if (json !== undefined) setOwn(taken, key, json);
      }
    }
    this.#values.set(path.map((key) => `${key}.`).join(""), taken);
    if (path.length === 0) this.#keys = new Set(extra.entries.keys());
  }

  /** A value as JSON; undefined if it comes from a source, or is wrong. */
  #json(value: Node, path: Path, name: string, key: string): unknown {
    if (value.broken) this.#isBroken = true;
    if (value.broken) return undefined;
    if (value.tag) {
      const source = readSource(value, name, this.#reading);
      if (source) this.#sources.push({ path, source });
      else this.#isBroken = true;
      return undefined;
    }
    if (value.is === "list")
      return value.items.map((item, i) => this.#json(item, [...path, i], `${name}[${i}]`, key) ?? null);
    if (value.is === "map") {
      const record: Record<string, unknown> = {};
      for (const [inner, entry] of value.entries) {
        const json = this.#json(entry.value, [...path, inner], `${name}.${inner}`, inner);
        if (json !== undefined) setOwn(record, inner, json);
      }
      return record;
    }
    if (typeof value.value === "number" && !isExactInJson(value.value)) {
      const message = `${name} is a number that JSON cannot hold exactly`;
      this.#refuse("wrong-type", message, value, "put it in quotes, if the service takes a text");
    }
    if (typeof value.value === "string") this.#checkSecrecy(value.value, key, value, name);
    return value.value;
  }

  #checkSecrecy(text: string, key: string, at: Node, name: string): void {
    const { collector } = this.#reading;
    const hint = "use a source: !env NAME, !file path or !exec [command, argument]";
    if (looksLikeKey(text)) {
      const message = `${name} must not be a literal: it would put a secret into git`;
      this.#refuse("literal-secret", message, at, hint);
    } else if (isNamedLikeSecret(key, text)) {
      collector.warning("literal-secret", `${name} looks like a secret, and is in the file`, at, hint);
    }
  }

  #refuse(code: string, message: string, at: Parameters<Refuse>[2], hint: string): void {
    this.#isBroken = true;
    this.#reading.collector.error(code, message, at, hint);
  }
}

type Refuse = Reading["collector"]["error"];
