import type { Declaration } from "../../../core/manifest/index.js";
import { listTexts, type Rule, type Violation } from "../rule.js";

/*
 * The service fills `${name}` and nothing else: it sends `{{name}}` as it stands, and `${Name}` is another variable than
 * `${name}`, which the session does not set. Only spellings of a name that is written as the service wants it elsewhere in
 * the object are reported, since braces alone may be an example.
 */
export const conflictingPlaceholders: Rule<"conflicting-placeholders"> = (declaration) => {
  const written = writtenIn(declaration);
  const names = new Map<string, Map<string, number>>();
  for (const { name, isFilled } of written) {
    if (!isFilled) continue;
    const spellings = names.get(fold(name)) ?? new Map<string, number>();
    spellings.set(name, (spellings.get(name) ?? 0) + 1);
    names.set(fold(name), spellings);
  }
  const reported = new Set<string>();
  return written.flatMap(({ path, name, text, isFilled, part }): Violation[] => {
    const spellings = names.get(fold(name));
    if (!spellings) return [];
    const usual = findUsual(spellings);
    if ((isFilled && name === usual) || reported.has(`${path.join()} ${text}`)) return [];
    reported.add(`${path.join()} ${text}`);
    const message = `has ${text}, and elsewhere \${${usual}}`;
    const hint = isFilled
      ? `these are two variables: write \${${usual}}, or call one of them something else`
      : `the service fills \${…} only: write \${${usual}}`;
    return [{ path, message, hint, part }];
  });
};

interface Written {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly text: string;
  /** The service fills it. */
  readonly isFilled: boolean;
  readonly part: { readonly start: number; readonly end: number };
}

/** Everything that looks like a placeholder: `${name}`, `{{name}}`, `{name}`. */
function writtenIn(declaration: Declaration): Written[] {
  return listTexts(declaration)
    .filter(({ isProse }) => isProse)
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/\$\{([^{}$\n]{1,64})\}|\{\{([^{}$\n]{1,64})\}\}|\{([^{}$\n]{1,64})\}/g)).map(
        ({ index, 0: found, 1: filled, 2: double, 3: single }) => ({
          ...{ path, text: found, isFilled: filled !== undefined },
          name: (filled ?? double ?? single ?? "").trim(),
          part: { start: index, end: index + found.length },
        }),
      ),
    );
}

/** One word, however it is written: `customer_name`, `customerName`, `Customer Name`. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, "");
}

/** The spelling that is there most often; of several, the first. */
function findUsual(spellings: ReadonlyMap<string, number>): string {
  return [...spellings].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}
