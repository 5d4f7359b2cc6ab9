import { nearest } from "../../../base/diagnostics/index.js";
import { closedPlaceholders, type Declaration, unclosedPlaceholders } from "../../../core/manifest/index.js";
import {
  judgePrompt,
  judgeProse,
  listTexts,
  type Rule,
  type TextFinding,
  type Violation,
  withoutCode,
} from "../rule.js";

export const placeholders: Rule<"placeholders"> = (declaration, { required = [], allowed }) => [
  ...judgePrompt(declaration, (text) => findMissing(text, required)),
  ...(allowed ? judgeProse(declaration, (text) => findUnknown(text, [...required, ...allowed])) : []),
];

function findMissing(text: string, required: readonly string[]): TextFinding[] {
  const names = new Set(closedPlaceholders(text).map(({ name }) => name));
  return required
    .filter((name) => !names.has(name))
    .map((name) => ({
      message: `has no placeholder \${${name}}, which is required`,
      hint: "add it where its value belongs",
    }));
}

function findUnknown(text: string, known: readonly string[]): TextFinding[] {
  return closedPlaceholders(text)
    .filter(({ name }) => !known.includes(name))
    .map(({ name, start, end }) => {
      const meant = nearest(name, known);
      const hint = meant ? `did you mean \${${meant}}?` : `the names are ${known.join(", ") || "none"}`;
      return { message: `has the placeholder \${${name}}, which is not allowed`, hint, part: { start, end } };
    });
}

/*
 * Without its brace `${name` is no placeholder: the avatar reads it aloud, or the service refuses the session.
 */
export const unclosedPlaceholder: Rule<"unclosed-placeholder"> = (declaration) =>
  judgeProse(declaration, (text) =>
    unclosedPlaceholders(text).map((placeholder) => ({
      message: `has an unclosed placeholder: ${placeholder.text}`,
      hint: 'close it with "}" on the same line',
      part: { start: placeholder.start, end: placeholder.start + placeholder.text.length },
    })),
  );

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
    // The spelling that is there most often; of several, the first.
    const [usual] = [...spellings].reduce((a, b) => (b[1] > a[1] ? b : a));
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
function fold(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, "");
}

/*
 * The service fills `${name}` only. Other braces are reported where one name stands alone in them. So are no examples of
 * JSON, whose braces hold quotes, colons or nothing; nor formulas and patterns, where a letter or a backslash comes before
 * (`\frac{a}`, `x{n}`); nor paths (`/orders/{id}`); nor code. Names that the object has as `${name}`, too, are left to
 * conflicting-placeholders.
 */
export const foreignPlaceholder: Rule<"foreign-placeholder"> = (declaration) => {
  const filled = new Set(
    listTexts(declaration).flatMap(({ text, isProse }) =>
      isProse ? closedPlaceholders(text).map(({ name }) => fold(name)) : [],
    ),
  );
  return judgeProse(declaration, (text) =>
    Array.from(withoutCode(text).matchAll(pattern)).flatMap(({ index, 0: written, 1: double, 2: single }) => {
      const name = double ?? single ?? "";
      if (filled.has(fold(name))) return [];
      const isTemplate =
        double === undefined ? "" : "; if it is one of a template, list the file in templates:";
      const hint = `write \${${name}}, or put it in backticks if it is an example${isTemplate}`;
      const part = { start: index, end: index + written.length };
      return [{ message: `has ${written}, which is never filled in`, hint, part }];
    }),
  );
};

const pattern =
  /(?<![\w$\\/{}^])(?:\{\{ {0,3}([A-Za-z_][\w.-]{0,62}\w) {0,3}\}\}|\{([A-Za-z_][\w-]{0,62}\w)\})(?![{}])/g;
