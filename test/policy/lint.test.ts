import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { promptOf } from "../../scripts/bench/project.js";
import { documentKind } from "../../src/core/kinds/index.js";
import { type Declaration, defaultRules, type RuleName } from "../../src/core/manifest/index.js";
import { sampleDataset } from "../../src/emulator/index.js";
import type { Rule, Violation } from "../../src/review/policy/rule.js";
import { rules } from "../../src/review/policy/rules/index.js";
import { runIn } from "../cli/hosting.js";
import { validated } from "./judging.js";

/* The rules for prompts that hold by default, one by one. */

const ofTexts = [
  "repeated-text",
  "conflicting-placeholders",
  "unclosed-placeholder",
  "invisible-characters",
  "foreign-placeholder",
  "missing-value",
  "merge-conflict",
] as const;

/** What a rule says of a prompt. */
function found(rule: RuleName, prompt: string, more: object = {}): readonly Violation[] {
  const declaration = {
    ...{ address: "context.a", key: "a", kind: documentKind.kind },
    spec: { name: "A", prompt, ...more },
  } as unknown as Declaration;
  const judge = rules[rule] as Rule<RuleName>;
  return [...judge(declaration, {} as never, { declarations: [declaration], presets: [] })];
}

/** The parts of the prompt that it points to. */
function parts(rule: RuleName, prompt: string): string[] {
  return found(rule, prompt).map(({ part }) => prompt.slice(part?.start, part?.end));
}

const short = "You help visitors return a bicycle.";
const paragraph =
  "Ask for the order number before anything else. If there is none, ask for the address and the day of the order. Look it up with both of them, and tell the visitor what you found. Only then go on with the return, step by step.";

describe("repeated-text", () => {
  test.each([
    ["a paragraph", `${paragraph}\n\nBe brief.\n\n${paragraph}\n`, paragraph],
    [
      "a paragraph with other line breaks",
      `${paragraph}\n\n${paragraph.replaceAll(". ", ".\n")}`,
      paragraph.replaceAll(". ", ".\n"),
    ],
    ["a whole prompt of one line", `${paragraph} ${paragraph}`, paragraph],
    ["lines of a list", listOf("a").repeat(2), listOf("a").trim()],
    ["one line that is there 47 times", `${short}\n`.repeat(47), `${short}\n`.repeat(46).trim()],
    [
      "two lines that follow each other 20 times",
      `${short}\nBe kind.\n`.repeat(20),
      `${short}\nBe kind.\n`.repeat(19).trim(),
    ],
    ["a sentence that is there 300 times", `${short} `.repeat(300), `${short} `.repeat(299).trim()],
    ["a part of a longer text", `One. ${paragraph} Two.\nThree. ${paragraph} Four.`, paragraph],
  ])("finds %s that is there again", (_, prompt, part) => {
    expect(parts("repeated-text", prompt)).toEqual([part]);
  });

  test.each([
    [
      "a sentence that is repeated for emphasis",
      "Never promise a refund. Be kind. Never promise a refund. Never promise a refund.",
    ],
    [
      "sections of the same form",
      ["bicycles", "tents", "boats"]
        .map((what) => `# Returns of ${what}\n\n${paragraph.replace("order", what)}`)
        .join("\n\n"),
    ],
    [
      "turns of examples",
      Array.from({ length: 20 }, (_, i) => `User: Where is order ${i}?\nAvatar: Let me look.\n`).join("\n"),
    ],
    ["rules and rows without words", `${"-".repeat(300)}\n`.repeat(4)],
  ])("leaves %s alone", (_, prompt) => {
    expect(found("repeated-text", prompt)).toEqual([]);
  });
});

/** What rules point to in a prompt, and prompts in which they find nothing. */
const examples: readonly {
  readonly rule: RuleName;
  readonly finds: readonly (readonly [prompt: string, parts: readonly string[]])[];
  readonly leaves: readonly string[];
}[] = [
  {
    rule: "foreign-placeholder",
    finds: [
      ["Hello {{name}}!", ["{{name}}"]],
      ["Hello {{ user.first_name }}, {first_name}.", ["{{ user.first_name }}", "{first_name}"]],
      ["{name}", ["{name}"]],
      ["`{name}` is {name}, and ${other}.", ["{name}"]],
    ],
    leaves: [
      'Answer as {"name": "Jo", "orders": [{}, {"id": 1}]}.',
      "{\n  name\n}",
      "```js\nimport {name} from 'a';\n```\nBe brief.",
      "GET /orders/{order_id}/items and https://a.example/{id}",
      "$\\frac{aa}{bb}$, x^{nn}, \\d{ab} and {x}",
      "${name} and ${ other }, {name}",
      "f(x) = { a, b } and {1, 2}; {a: 1}; {}",
    ],
  },
  {
    rule: "missing-value",
    finds: [
      ["Hello undefined, how are you?", ["undefined"]],
      ["You are undefined, the host of undefined.", ["undefined", "undefined"]],
      ["Hours: [object Object], [object Promise]", ["[object Object]", "[object Promise]"]],
      ["undefined\n\nBe brief.", ["undefined"]],
    ],
    leaves: [
      "If the term is undefined, ask. An undefined term, undefined behaviour, left undefined or undefined.",
      'Never say `undefined` or "undefined"; say ‘undefined’ never.',
      "Undefined is a band. predefined, undefinedness, x.undefined, undefined() and [object of desire]",
      "```\nundefined\n[object Object]\n```",
    ],
  },
  {
    rule: "conflicting-placeholders",
    finds: [
      ["${name}, ${Name}, ${name}", ["${Name}"]],
      ["${customer_name} ${customerName}", ["${customerName}"]],
      ["${name} {{ name }} {name}", ["{{ name }}", "{name}"]],
    ],
    leaves: [
      "{{name}} and {name}",
      "${name} ${name} ${first_name}",
      'Answer as {"name": "Jo"}, ${name}.',
      "function a() { name } ${b}",
    ],
  },
];

describe.each(examples)("$rule", ({ rule, finds, leaves }) => {
  test.each(finds)("finds in %j %j", (prompt, expected) => {
    expect(parts(rule, prompt)).toEqual(expected);
  });

  test.each(leaves)("finds nothing in %j", (prompt) => {
    expect(found(rule, prompt)).toEqual([]);
  });
});

const kiosk = "sessions: { kiosk: { mode: FULL, persona: { context: a } } }\n";
const push = kiosk.replace("FULL,", "FULL, interactivity_type: PUSH_TO_TALK,");
const long = "policies: { long-prompt: { above: 40 } }\n";
const context = (fields: string) => `contexts: { a: { name: A, ${fields} } }\n`;

test.each([
  ["link-without-faq", context('prompt: Hi, links: [{ url: "https://example.com" }]'), true],
  ["link-without-faq", context('prompt: Hi, links: [{ url: "https://example.com", faq: Returns }]'), false],
  ["silent-opening", kiosk + context("prompt: Hi"), true],
  ["silent-opening", kiosk + context('prompt: Hi, opening_text: " "'), true],
  ["silent-opening", kiosk + context("prompt: Hi, opening_text: Hello"), false],
  ["silent-opening", push + context("prompt: Hi"), false],
  ["long-prompt", long + context("prompt: Ask for the order number and the frame number"), true],
  ["long-prompt", long + context("prompt: Ask for the order number"), false],
  ["long-prompt", context(`prompt: ${"a ".repeat(30_001)}b`), true],
])("%s, by default a warning, judges %s", async (rule, manifest, isFound) => {
  const warnings = await validated({ "avatarops.yaml": manifest });
  expect(warnings.map((line) => line.split(" at ")[0])).toEqual(isFound ? [`warning ${rule}`] : []);
});

test("docs/policies.md has each rule that holds by default, and no other", () => {
  const rows = readFileSync("docs/policies.md", "utf8").matchAll(/^\| `([\w-]+)` \| .+ \| .+ \|$/gm);
  expect(Array.from(rows, ([, name]) => name).sort()).toEqual(defaultRules.map(({ name }) => name).sort());
});

test("conflicting-placeholders looks at all texts of the object together", () => {
  const findings = found("conflicting-placeholders", "Call them ${name}.", { opening_text: "Hi {name}!" });
  expect(findings).toMatchObject([{ path: ["opening_text"], message: "has {name}, and elsewhere ${name}" }]);
});

function listOf(word: string): string {
  return Array.from({ length: 12 }, (_, i) => `- ${word} thing of the number ${i}\n`).join("");
}

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
    ["a\u0007b", "\u0007"],
  ])("finds %j", (prompt, part) => {
    expect(parts("invisible-characters", prompt)[0]).toBe(part);
  });

  test.each([
    ["French spaces", "Bonjour\u202f! Prix\u00a0: 10\u00a0€ «\u00a0oui\u00a0»"],
    [
      "emoji of several characters",
      "👩‍👩‍👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 👍🏽 ❤️‍🔥",
    ],
    ["Persian", "می‌خواهم"],
    ["Hindi", "क्‍ष"],
    ["Hebrew with marks of direction", "שלום (\u200fWorld\u200e) abc"],
    ["Thai with breaks", "สวัสดี\u200bครับ"],
    ["two spaces at the end of a line", "One  \nTwo"],
    ["tabs and final line ends", "\tOne\n\tTwo\n"],
  ])("leaves %s alone", (_, prompt) => {
    expect(found("invisible-characters", prompt)).toEqual([]);
  });

  test("counts each sort once", () => {
    expect(found("invisible-characters", "a\u200bb\u200bc\u00add")).toMatchObject([
      { message: "has a zero-width space (U+200B), which is invisible, 2 times" },
      { message: "has a soft hyphen (U+00AD), which is invisible" },
    ]);
  });
});

describe("the rules for texts", () => {
  const honest = honestPrompts();

  test.each(ofTexts)(
    "%s finds nothing in the prompts of the examples, of the emulator and of the benchmark",
    (rule) => {
      expect(honest.length).toBeGreaterThan(8);
      for (const prompt of honest) expect(found(rule, prompt), prompt.slice(0, 80)).toEqual([]);
    },
  );

  test("find nothing when such prompts are edited as people do", () => {
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
        expect(found(rule, prompt)).toEqual([]);
      }),
    );
  });

  test("are silent once all that they point to is removed", () => {
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
          const [first] = found(rule, prompt);
          if (!first) return;
          const { start = 0, end = prompt.length } = first.part ?? {};
          expect(end).toBeGreaterThan(start);
          prompt = prompt.slice(0, start) + prompt.slice(end);
        }
        expect(found(rule, prompt)).toEqual([]);
      }),
    );
  });

  test.each(ofTexts)("%s reads a long prompt of what is worst for it", (rule) => {
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
      expect(found(rule, prompt).length).toBeLessThan(size);
      expect(found(rule, `x${prompt}x`).length).toBeLessThan(size);
    }
  });
});

test("the examples are valid, without a warning", async () => {
  for (const folder of ["examples/yaml", "examples/typescript"]) {
    const { exit, stdout } = await runIn(path.resolve(folder), ["validate", "--quiet"]);
    expect([folder, exit, stdout]).toEqual([folder, 0, ""]);
  }
});

/** Every prompt that the repository has to show. */
function honestPrompts(): string[] {
  const files = ["examples", "templates"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => readFileSync(path.join(folder, file), "utf8").replace(/^---\n.*?\n---\n/s, "")),
  );
  const sample = sampleDataset(0).contexts.map(({ prompt }) => prompt);
  return [...files, ...sample, promptOf(1, 8_192)].map((text) => text.trimEnd());
}
