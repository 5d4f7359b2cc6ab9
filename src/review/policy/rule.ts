import { isMapping } from "../../base/text/index.js";
import { documentKind, type Field, type Value } from "../../core/kinds/index.js";
import type { Declaration, Manifest, RuleName, RuleOptions, TextPart } from "../../core/manifest/index.js";

/** Violation of a rule. */
export interface Violation {
  /** Path to the value, such as `["links", 0, "url"]`. Empty for the object as a whole. */
  readonly path: readonly (string | number)[];
  /** Verb phrase that follows the address and path, such as "contains git conflict markers". */
  readonly message: string;
  /** Advice on how to fix the violation. */
  readonly hint?: string;
  /** Offending part of the text, in UTF-16 code units. Default: the whole text. */
  readonly part?: TextPart;
}

/** Parts of a declaration and its project that rules can access. */
export type JudgedObject = Pick<Declaration, "address" | "key" | "kind" | "spec"> &
  Partial<Pick<Declaration, "origins"> & Pick<Manifest, "variables">>;

/** Judges one declared object. Pure function. */
export type Rule<Name extends RuleName> = (
  declaration: JudgedObject,
  options: RuleOptions<Name>,
) => readonly Violation[];

export interface DeclaredText {
  /** Innermost field name, without list indexes. */
  readonly field: string;
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** Field format, such as `url`. */
  readonly format?: string | undefined;
  /** Whether the text is spoken by the avatar or instructs it. */
  readonly isProse: boolean;
}

/** Lists an object's texts, in field order. */
export function listTexts({ kind, spec }: JudgedObject): DeclaredText[] {
  return Object.entries(kind.fields).flatMap(([name, field]): DeclaredText[] => {
    const value = spec[name];
    return value === undefined ? [] : collectTexts(name, field, value, [name]);
  });
}

function collectTexts(name: string, field: Field, value: Value, path: DeclaredText["path"]): DeclaredText[] {
  if (field.type === "string" && typeof value === "string")
    return [{ field: name, path, text: value, format: field.format, isProse: field.prose ?? false }];
  if (field.type === "list" && Array.isArray(value))
    return value.flatMap((entry: Value, at) => collectTexts(name, field.item, entry, [...path, at]));
  if (field.type !== "object" || !isMapping(value)) return [];
  return Object.entries(field.parts).flatMap(([key, part]) =>
    value[key] === undefined ? [] : collectTexts(key, part, value[key] as Value, [...path, key]),
  );
}

export type TextFinding = Omit<Violation, "path">;

/** Judges each prose text of an object. */
export function judgeProse(
  declaration: JudgedObject,
  judge: (text: string) => readonly TextFinding[],
): Violation[] {
  return listTexts(declaration).flatMap(({ path, text, isProse }) =>
    isProse ? judge(text).map((found) => ({ path, ...found })) : [],
  );
}

/** Judges the prompt, if the object has one. */
export function judgePrompt(
  { kind, spec }: JudgedObject,
  judge: (text: string) => readonly TextFinding[],
): Violation[] {
  const text = spec[documentKind.body];
  if (kind.name !== documentKind.kind.name || typeof text !== "string") return [];
  return judge(text).map((found) => ({ path: [documentKind.body], ...found }));
}

/** Formats an address with a path, such as `context.support.links[0].url`. */
export function toSubject({ address }: JudgedObject, path: readonly (string | number)[]): string {
  return path.length === 0 ? address : `${address}.${formatPath(path)}`;
}

/** Formats a path, such as `links[0].url`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => text + (typeof key === "number" ? `[${key}]` : text === "" ? key : `.${key}`),
    "",
  );
}
