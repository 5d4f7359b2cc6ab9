import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPrompt } from "../../scripts/bench/support/project.js";
import { documentKind } from "../../src/core/kinds/index.js";
import { type Declaration, defaultRules, type RuleName } from "../../src/core/manifest/index.js";
import { createSampleDataset } from "../../src/emulator/index.js";
import type { DiagnosticsDocument } from "../../src/output/documents/index.js";
import type { Rule, Violation } from "../../src/review/policy/rule.js";
import { rules } from "../../src/review/policy/rules/index.js";
import { type Project, runIn, startProject } from "../cli/hosting.js";
import { createProjectFiles, validate } from "./judging.js";

/* Tests the prompt rules that are on by default. */

const ofTexts = [
  "unclosed-placeholder",
  "unfilled-placeholder",
  "invisible-characters",
  "merge-conflict",
] as const;

function findViolations(rule: RuleName, prompt: string): readonly Violation[] {
  const declaration = {
    ...{ address: "context.a", key: "a", kind: documentKind.kind },
    spec: { name: "A", prompt },
  } as unknown as Declaration;
  const judge = rules[rule] as Rule<RuleName>;
  return [...judge(declaration, {} as never)];
}

/** Returns the parts of the prompt marked by violations. */
function findParts(rule: RuleName, prompt: string): string[] {
  return findViolations(rule, prompt).map(({ part }) => prompt.slice(part?.start, part?.end));
}

const paragraph =
  "Ask for the order number before anything else. If there is none, ask for the address and the day of the order. Look it up with both of them, and tell the visitor what you found. Only then go on with the return, step by step.";

const long = "policies: { long-prompt: { above: 40 } }\n";
const formatContext = (fields: string) => `contexts: { a: { name: A, ${fields} } }\n`;

test.each([
  [
    "above the configured limit",
    long + formatContext("prompt: Ask for the order number and the frame number"),
    true,
  ],
  ["below the configured limit", long + formatContext("prompt: Ask for the order number"), false],
  ["above the default limit", formatContext(`prompt: ${"a ".repeat(30_001)}b`), true],
])(
  "warns about long prompts by default, but only above the limit: prompt %s",
  async (_, manifest, isFound) => {
    const warnings = await validate({ "avatarops.yaml": manifest });
    expect(warnings.map((line) => line.split(" at ")[0])).toEqual(isFound ? ["warning long-prompt"] : []);
  },
);

describe("unfilled-placeholder", () => {
  test.each([
    ["Hello {{name}}!", ["{{name}}"]],
    ["Hello {{ user.first_name }}, {first_name}.", ["{{ user.first_name }}", "{first_name}"]],
    ["Be kind. {{> tone.md}} {{customer name}}", ["{{> tone.md}}", "{{customer name}}"]],
    ["`{name}` is {größe}, and ${other}.", ["{größe}"]],
    ["${customer name}, ${ }, ${ name }", ["${customer name}", "${ }"]],
    ["Hello undefined, how are you?", ["undefined"]],
    ["You are undefined. Hours: [object Object]", ["undefined", "[object Object]"]],
  ])("finds the placeholders in %j", (prompt, expected) => {
    expect(findParts("unfilled-placeholder", prompt)).toEqual(expected);
  });

  test.each([
    'Answer as {"name": "Jo", "orders": [{}, {"id": 1}]}.',
    "{\n  name\n}",
    "```js\nimport {name} from 'a'; undefined\n```\nBe brief.",
    "GET /orders/{order_id}/items and https://a.example/{id}",
    "$\\frac{aa}{bb}$, x^{nn}, \\d{ab} and {x}",
    "f(x) = { a, b } and {1, 2}; {a: 1}; {}",
    "If the term is undefined, ask. An undefined term, undefined behavior or left undefined.",
    'Never say `undefined` or "undefined". Undefined is a band. x.undefined, undefined()',
  ])("finds nothing in %j", (prompt) => {
    expect(findViolations("unfilled-placeholder", prompt)).toEqual([]);
  });

  test("gives advice based on the project's variables and templates", async () => {
    const { avatarops } = await startProject({
      files: {
        "avatarops.yaml":
          "include: [contexts/*.md]\ntemplates: [contexts/t.md]\nvariables: { price: 9 EUR }\n",
        "contexts/a.md":
          "---\nname: A\n---\n{{price}}\n{price}\n{{city}}\n{city}\n${customer name}\nundefined\n",
        "contexts/t.md": "---\nname: T\n---\n{{price}} \\{{city}}\n{price}\n",
      },
    });
    const { exit, stdout } = await avatarops("validate", "--format", "json");
    const { policies = [] } = JSON.parse(stdout) as DiagnosticsDocument;
    expect(exit).toBe(0);
    expect(policies.map(({ location, hint }) => `${location?.file}:${location?.line} ${hint}`)).toEqual([
      "contexts/a.md:4 list the file under `templates:`",
      "contexts/a.md:5 write {{price}} and list the file under `templates:`",
      "contexts/a.md:6 write ${city}, or list the file under `templates:`",
      "contexts/a.md:7 write ${city}, or put it in backticks if it is an example",
      "contexts/a.md:8 write a name without spaces, such as ${customer_name}",
      "contexts/a.md:9 replace it with the intended text",
      "contexts/t.md:5 write {{price}}",
    ]);
  });
});

describe("advice for an unfilled placeholder in inline text", () => {
  const findHints = async (project: Project) => {
    const { policies = [] } = (await project.json("validate")) as DiagnosticsDocument;
    return policies.map(({ location, hint }) => `${location?.file}:${location?.line} ${hint}`);
  };

  test("fills the placeholder when followed in front matter and in an environment", async () => {
    const settings = "include: [c.md]\ntemplates: [prompts/*]\nvariables: { price: 9 EUR }\n";
    const write = (prompt: string, opening: string) => ({
      "avatarops.yaml": `${settings}contexts: { b: { name: B, prompt: "Be kind." } }\nenvironments:\n  staging:\n    contexts: { b: { prompt: ${prompt} } }\n`,
      "c.md": `---\nname: C\nopening_text: ${opening}\n---\nBe kind.\n`,
    });
    const project = await startProject({ files: write('"Pay {{price}}."', '"{price}?"') });
    expect(await findHints(project)).toEqual([
      "avatarops.yaml:7 put the text into a file (prompt: !file prompts/b.md) and list that file under `templates:`",
      "c.md:3 write {{price}} and put the text into a file (opening_text: !file prompts/c.md) and list that file under `templates:`",
    ]);
    for (const [file, text] of Object.entries(write("!file prompts/b.md", "!file prompts/c.md")))
      await project.write(file, text);
    await project.write("prompts/b.md", "Pay {{price}}.\n");
    await project.write("prompts/c.md", "{{price}}?\n");
    expect(await findHints(project)).toEqual([]);
    const rendered = await project.expectDone("render", "context.b", "--env", "staging");
    expect(rendered.stdout).toBe("Pay 9 EUR.");
  });

  test("fills the placeholder when followed in TypeScript", async () => {
    const write = (prompt: string) =>
      `import { Context, Project, promptFile } from "avatarops";\nconst project = new Project({ variables: { price: "9 EUR" } });\nnew Context(project, "b", { name: "B", prompt: ${prompt} });\nexport default project;\n`;
    const project = await startProject({ files: { "avatarops.config.ts": write('"Pay {{price}}."') } });
    const way = 'promptFile("prompts/b.md", {})';
    expect(await findHints(project)).toEqual([
      `avatarops.config.ts:3 put the text into a file and write ${way}`,
    ]);
    await project.write("avatarops.config.ts", write(way));
    await project.write("prompts/b.md", "Pay {{price}}.\n");
    expect(await findHints(project)).toEqual([]);
    expect((await project.expectDone("render", "context.b")).stdout).toBe("Pay 9 EUR.");
  });
});

test("lists exactly the default rules in docs/policies.md", () => {
  const rows = readFileSync("docs/policies.md", "utf8").matchAll(/^\| `([\w-]+)` \| .+ \| .+ \|$/gm);
  expect(Array.from(rows, ([, name]) => name).sort()).toEqual(defaultRules.map(({ name }) => name).sort());
});

describe("invisible-characters", () => {
  test.each([
    ["a\u200bb", "\u200b"],
    ["a\u200db", "\u200d"],
    ["a\u00a0\nb", "\u00a0"],
    ["\ufeffYou", "\ufeff"],
    ["a \u202egnp\u202c b", "\u202e"],
    ["a\u2066b", "\u2066"],
    ["a\u00adb", "\u00ad"],
    ["Hi\u{e0041}\u{e0042}", "\u{e0041}"],
    ["Hi \t", " \t"],
    ["Hi \n", " \n"],
    ["Hi\n\n\t", "\t"],
    ["a\u0007b", "\u0007"],
  ])("finds %j", (prompt, part) => {
    expect(findParts("invisible-characters", prompt)[0]).toBe(part);
  });

  test.each([
    ["French spaces", "Bonjour\u202f! Prix\u00a0: 10\u00a0€ «\u00a0oui\u00a0»"],
    [
      "emoji of several characters",
      "👩‍👩‍👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 👍🏽 ❤️‍🔥",
    ],
    ["Persian", "می‌خواهم"],
    ["Hindi", "क्‍ष"],
    ["Hebrew with direction marks", "שלום (\u200fWorld\u200e) abc"],
    ["Thai with word breaks", "สวัสดี\u200bครับ"],
    ["two spaces at the end of a line", "One  \nTwo"],
    ["tabs and final line ends", "\tOne\n\tTwo\n"],
  ])("accepts %s", (_, prompt) => {
    expect(findViolations("invisible-characters", prompt)).toEqual([]);
  });

  test("reports white space before the final line end of a block", async () => {
    const files = createProjectFiles("functions: []", 'prompt: "  Ask.\\n"\nopening_text: "Hi \\n"');
    expect(await validate(files)).toEqual([
      expect.stringMatching(/^warning invisible-characters at avatarops.yaml:7:/),
    ]);
  });

  test("reports each character once and gives its count", () => {
    expect(findViolations("invisible-characters", "a\u200bb\u200bc\u00add")).toMatchObject([
      { message: "contains the invisible character U+200B, 2 times" },
      { message: "contains the invisible character U+00AD" },
    ]);
  });
});

describe("default rules", () => {
  const honest = listPrompts();

  test.each(ofTexts)("find no %s violation in the example, emulator and benchmark prompts", (rule) => {
    expect(honest.length).toBeGreaterThan(8);
    for (const prompt of honest) expect(findViolations(rule, prompt), prompt.slice(0, 80)).toEqual([]);
  });

  test("find nothing after ordinary edits to the repository's prompts", () => {
    const lines = honest.flatMap((prompt) => prompt.split("\n")).filter((line) => line.trim() !== "");
    const edited = fc
      .record({
        prompt: fc.constantFrom(...honest),
        taken: fc.subarray([...new Set(lines)], { maxLength: 4 }),
        at: fc.nat(),
      })
      .map(({ prompt, taken, at }) => {
        const parts = prompt.split("\n");
        parts.splice(at % (parts.length + 1), 1, ...taken.filter((line) => !prompt.includes(line)));
        return parts.join("\n").trimEnd();
      });
    fc.assert(
      fc.property(edited, fc.constantFrom(...ofTexts), (prompt, rule) => {
        expect(findViolations(rule, prompt)).toEqual([]);
      }),
    );
  });

  test("find nothing once each reported passage is removed", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "${name}",
        "${Name",
        "{{name}}",
        "{name}",
        "${na_me}",
        "\u200b",
        "\u00a0",
        "\ufeff",
        "\u202e",
        "\u{e0041}",
        "\n",
        " ",
        paragraph,
      ),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom(...ofTexts), (pieces, rule) => {
        let prompt = pieces.join("");
        for (let left = prompt.length + 1; left > 0; left--) {
          const [first] = findViolations(rule, prompt);
          if (!first) return;
          const { start = 0, end = prompt.length } = first.part ?? {};
          expect(end).toBeGreaterThan(start);
          prompt = prompt.slice(0, start) + prompt.slice(end);
        }
        expect(findViolations(rule, prompt)).toEqual([]);
      }),
    );
  });

  test.each(ofTexts)("check a worst-case prompt of 200,000 characters quickly: %s", (rule) => {
    const size = 200_000;
    const worst = [
      paragraph,
      "${a",
      "{{a}}${A}",
      "\u200e",
      "\u200bא",
      "a\n",
      "a. b. ",
      " ",
      "\u00a0\n",
      "${",
      "{",
      "\u{e0041}",
    ];
    for (const piece of worst) {
      const prompt = piece.repeat(Math.ceil(size / piece.length));
      expect(findViolations(rule, prompt).length).toBeLessThan(size);
      expect(findViolations(rule, `x${prompt}x`).length).toBeLessThan(size);
    }
  });
});

test("prints no policy warnings for the examples", async () => {
  for (const folder of ["examples/yaml", "examples/typescript"]) {
    const { exit, stdout } = await runIn(path.resolve(folder), ["validate", "--quiet"]);
    expect([folder, exit, stdout]).toEqual([folder, 0, ""]);
  }
});

/** Returns the prompts from the examples, templates, emulator and benchmark. */
function listPrompts(): string[] {
  const files = ["examples", "templates"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => readFileSync(path.join(folder, file), "utf8").replace(/^---\n.*?\n---\n/s, "")),
  );
  const sample = createSampleDataset(0).contexts.map(({ prompt }) => prompt);
  return [...files, ...sample, createPrompt(1, 8_192)].map((text) => text.trimEnd());
}
