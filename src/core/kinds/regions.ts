import { applySplices } from "../../base/text/index.js";
import type { Field, Kind, Spec, Value } from "./kind.js";

/*
 * A region is the text between `<!-- BEGIN specials -->` and `<!-- END specials -->`, which somebody else writes, such as a
 * running system. It is left out wherever texts are compared. An update sends it as it is in the account, and what is shown
 * or written into files has it as it is there.
 */

const mark = /<!--[ \t]*(BEGIN|END)[ \t]+([\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*?)[ \t]*-->/gu;

interface Part {
  readonly start: number;
  readonly end: number;
}

/** The named regions of a text, without their marks; and the marks that mark none, by the name of the region. */
export function findRegions(text: string, names: readonly string[]) {
  const regions = new Map<string, Part & { readonly inside: string }>();
  const broken = new Map<string, { readonly at: Part; readonly why: string }>();
  const breaks = (name: string, at: Part, why: string) => broken.has(name) || broken.set(name, { at, why });
  const wanted = new Set(names.map((name) => name.normalize()));
  let open: { readonly name: string; readonly at: Part } | undefined;
  for (const { index: start, 0: all, 1: edge, 2: written = "" } of text.matchAll(mark)) {
    const name = written.normalize();
    const at = { start, end: start + all.length };
    if (!wanted.has(name)) continue;
    if (edge === "END" && open?.name !== name) breaks(name, at, "ends where it has not begun");
    else if (edge === "END" && open) {
      const from = open.at.end;
      regions.set(name, { start: from, end: start, inside: text.slice(from, start) });
      open = undefined;
    } else {
      if (open) breaks(open.name, open.at, "does not end before the next one begins");
      if (open || regions.has(name)) breaks(name, at, open ? `begins within ${open.name}` : "begins twice");
      open = { name, at };
    }
  }
  if (open) breaks(open.name, open.at, "does not end");
  for (const name of broken.keys()) regions.delete(name);
  return { regions, broken };
}

/** What is wrong with the marks of the named regions of an object, with the text and the place in it if there are any. */
export function regionProblems(kind: Kind, spec: Spec, names: readonly string[]) {
  const unmarked = new Set(names.map((name) => name.normalize()));
  const found = regionFields(kind).flatMap((field) => {
    const { regions, broken } = findRegions(String(spec[field] ?? ""), names);
    for (const name of [...regions.keys(), ...broken.keys()]) unmarked.delete(name);
    return Array.from(broken, ([name, { at, why }]) => ({ name, field, at, what: `of ${field} ${why}` }));
  });
  const missing = [...unmarked].map((name) => ({
    name,
    field: undefined,
    at: undefined,
    what: "is in no text",
  }));
  return [...found, ...missing].map(({ what, ...problem }) => ({
    ...problem,
    message: `the region ${problem.name} ${what}`,
    hint: `write <!-- BEGIN ${problem.name} --> once before the text and <!-- END ${problem.name} --> once after it`,
  }));
}

/** The ignored regions of a text of a field, and what marks none of them. */
function ignoredIn(field: Field | undefined, text: Value | undefined) {
  const names = (field?.type === "string" && field.ignoredRegions) || [];
  return findRegions(names.length > 0 && typeof text === "string" ? text : "", names);
}

/** The names of the ignored regions that a text of a field has. */
export function regionsIn(field: Field, text: Value | undefined): readonly string[] {
  return [...ignoredIn(field, text).regions.keys()];
}

function replaceRegions(field: Field, text: string, inside: (name: string) => string | undefined): string {
  const splices = [...ignoredIn(field, text).regions].map(([name, { inside: own, ...at }]) => {
    return { ...at, text: inside(name) ?? own };
  });
  return applySplices(text, splices) ?? text;
}

/** A text of a field without what is in its ignored regions. */
export function withoutRegions(field: Field, text: string): string {
  return replaceRegions(field, text, () => "");
}

/** A value of a field with its ignored regions as another one has them, where both have them. */
export function withRegionsFrom<Given extends Value | undefined>(
  field: Field | undefined,
  value: Given,
  other: Value | undefined,
): Given | string {
  if (!field || typeof value !== "string") return value;
  const { regions } = ignoredIn(field, other);
  return replaceRegions(field, value, (name) => regions.get(name)?.inside);
}

/** What an update does to the texts of an object that lack a declared region: sentences. */
export function describeLostRegions({ fields }: Kind, declared: Spec, live: Spec): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { regions, broken } = ignoredIn(field, live[name]);
    const lost = regionsIn(field, declared[name]).filter((region) => !regions.has(region));
    return lost.map((region) => {
      const { why } = broken.get(region) ?? { why: "is missing" };
      return `The region ${region} of the live ${name} ${why}: this writes its marks, with the text between them that is declared.`;
    });
  });
}

/** The fields whose texts may have regions. */
export function regionFields({ fields }: Kind): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.type === "string" && fields[name].prose);
}

/** The field whose comparisons leave out these regions, and no others. */
export function ignoreRegions(field: Field, ignoredRegions: readonly string[] | undefined): Field {
  return field.type === "string" ? { ...field, ignoredRegions } : field;
}

/** The kind whose comparisons leave these regions out of its prose. */
export function withIgnoredRegions(kind: Kind, names: readonly string[]): Kind {
  if (names.length === 0) return kind;
  const fields = { ...kind.fields };
  for (const name of regionFields(kind)) fields[name] = ignoreRegions(fields[name] as Field, names);
  return { ...kind, fields };
}
