import { isMapping } from "../../base/text/index.js";
import { documentKind, type Field, type Value } from "../../core/kinds/index.js";
import type { Declaration, RuleName, RuleOptions, TextPart } from "../../core/manifest/index.js";

/** What a rule found in an object. */
export interface Violation {
  /** The value it is about: `["links", 0, "url"]`; empty: the object as a whole. */
  readonly path: readonly (string | number)[];
  /** One sentence but for its beginning, which is the address and the path. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
  /** The part of the text it is about, in UTF-16 code units. Default: all of it. */
  readonly part?: TextPart;
}

/** What is judged of an object. */
export type JudgedObject = Pick<Declaration, "address" | "key" | "kind" | "spec">;

/** Judges one object by what the files say. Looks at nothing else, and changes nothing. */
export type Rule<Name extends RuleName> = (
  declaration: JudgedObject,
  options: RuleOptions<Name>,
) => readonly Violation[];

/** A text of an object. */
export interface DeclaredText {
  /** The name of the field, also of one within a list. */
  readonly field: string;
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** What its format is, such as `url`. */
  readonly format?: string | undefined;
  /** Prose, which avatars say or read. */
  readonly isProse: boolean;
}

/** The readable texts of an object, in the order of its fields. */
export function listTexts({ kind, spec }: JudgedObject): DeclaredText[] {
  return Object.entries(kind.fields).flatMap(([name, field]): DeclaredText[] => {
    const value = spec[name];
    return value === undefined ? [] : textsIn(name, field, value, [name]);
  });
}

function textsIn(name: string, field: Field, value: Value, path: DeclaredText["path"]): DeclaredText[] {
  if (field.type === "string" && typeof value === "string")
    return [{ field: name, path, text: value, format: field.format, isProse: field.prose ?? false }];
  if (field.type === "list" && Array.isArray(value))
    return value.flatMap((entry: Value, at) => textsIn(name, field.item, entry, [...path, at]));
  if (field.type !== "object" || !isMapping(value)) return [];
  return Object.entries(field.parts).flatMap(([key, part]) =>
    value[key] === undefined ? [] : textsIn(key, part, value[key] as Value, [...path, key]),
  );
}

/** What a rule finds in a text. */
export type TextFinding = Omit<Violation, "path">;

/** Judges each prose text of an object by itself. */
export function judgeProse(
  declaration: JudgedObject,
  judge: (text: string) => readonly TextFinding[],
): Violation[] {
  return listTexts(declaration).flatMap(({ path, text, isProse }) =>
    isProse ? judge(text).map((found) => ({ path, ...found })) : [],
  );
}

/** Judges the prompt; objects of other kinds have none. */
export function judgePrompt(
  { kind, spec }: JudgedObject,
  judge: (text: string) => readonly TextFinding[],
): Violation[] {
  const text = spec[documentKind.body];
  if (kind.name !== documentKind.kind.name || typeof text !== "string") return [];
  return judge(text).map((found) => ({ path: [documentKind.body], ...found }));
}

/** `context.support.links[0].url` */
export function toSubject({ address }: JudgedObject, path: readonly (string | number)[]): string {
  return path.length === 0 ? address : `${address}.${pathText(path)}`;
}

/** `links[0].url` */
export function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => text + (typeof key === "number" ? `[${key}]` : text === "" ? key : `.${key}`),
    "",
  );
}
