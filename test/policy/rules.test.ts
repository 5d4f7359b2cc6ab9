import { describe, expect, test } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";
import { createProjectFiles, validate } from "./judging.js";

describe("forbidden-phrases", () => {
  const rule = 'forbidden-phrases: { phrases: [guaranteed refund, "cheap*"] }';

  test("finds whole words in any case and across line breaks", async () => {
    const prompt =
      "prompt: |\n  You offer a Guaranteed Refund.\n  Never a guaranteed\n  refunds, nor cheapness.\n";
    expect(await validate(createProjectFiles(rule, prompt))).toEqual([
      'error forbidden-phrases at avatarops.yaml:7:19 "Guaranteed Refund"',
      'error forbidden-phrases at avatarops.yaml:9:20 "cheap"',
    ]);
    const broken = "prompt: |\n  Offer a guaranteed\n  refund.\n";
    expect(await validate(createProjectFiles(rule, broken))).toEqual([
      'error forbidden-phrases at avatarops.yaml:7:15 "guaranteed"',
    ]);
  });

  test("finds phrases despite invisible characters, combining accents and scripts without spaces", async () => {
    const phrases = "forbidden-phrases: { phrases: [garantie, café, 保証] }";
    const prompt = 'prompt: "gar\u00adan\u200btie, cafe\u0301 und 必ず保証します"\n';
    const found = await validate(createProjectFiles(phrases, prompt));
    expect(found.filter((line) => line.startsWith("error forbidden-phrases"))).toHaveLength(3);
  });

  test.each([
    ["Verstoß", "Ein VERSTOSS", "VERSTOSS"],
    ["Verstoß", "Ein VERSTOẞ", "VERSTOẞ"],
    ["VERSTOSS", "Ein Verstoß", "Verstoß"],
    ["δωρεάν προϊόντος", "ΔΩΡΕΆΝ ΠΡΟΪΌΝΤΟΣ!", "ΔΩΡΕΆΝ ΠΡΟΪΌΝΤΟΣ"],
    ["Profit", "der Proﬁt", "Proﬁt"],
  ])("finds the phrase %s in %s", async (phrase, prompt, found) => {
    const files = createProjectFiles(`forbidden-phrases: { phrases: [${phrase}] }`, `prompt: ${prompt}`);
    expect(await validate(files)).toEqual([
      expect.stringMatching(new RegExp(`^error forbidden-phrases .* "${found}"$`)),
    ]);
  });

  test("counts the findings beyond the twenty that it shows for an object", async () => {
    const prompt = `prompt: |\n${"  cheap\n".repeat(23)}`;
    const project = await startProject({ files: createProjectFiles(rule, prompt) });
    const { stdout } = await project.avatarops("validate");
    expect(stdout.match(/^error\[forbidden-phrases\] .* contains/gm)).toHaveLength(20);
    expect(stdout).toEqual(
      matchText("error[forbidden-phrases] context.support violates this rule 3 more times"),
    );
  });

  test("checks only the named fields", async () => {
    const inFields = "forbidden-phrases: { phrases: [cheap], fields: [opening_text, faq] }";
    const context =
      "prompt: cheap\nopening_text: Cheap!\nlinks:\n  - { url: https://example.com, faq: cheap }\n";
    expect(await validate(createProjectFiles(inFields, context))).toEqual([
      'error forbidden-phrases at avatarops.yaml:7:19 "Cheap"',
      'error forbidden-phrases at avatarops.yaml:9:42 "cheap"',
    ]);
  });

  test("reports the line and column in Markdown, TypeScript and files with Windows line endings", async () => {
    const policies = "policies: { forbidden-phrases: { phrases: [cheap] } }\n";
    const markdown = {
      "avatarops.yaml": `${policies}include: [contexts/*.md]\n`,
      "contexts/a.md": "---\nname: A\n---\nOne.\nIt is cheap.\n",
    };
    expect(await validate(markdown)).toEqual(['error forbidden-phrases at contexts/a.md:5:7 "cheap"']);
    const file = {
      "avatarops.yaml": `${policies}contexts: { a: { name: A, prompt: !file a.md } }\n`,
      "a.md": "One.\r\nTwo.\r\nIt is cheap.\r\n",
    };
    expect(await validate(file)).toEqual(['error forbidden-phrases at a.md:3:7 "cheap"']);
    const code = {
      "avatarops.config.ts": `import { Context, Project } from "avatarops";
const project = new Project({ policies: { "forbidden-phrases": { phrases: ["so cheap"] } } });
new Context(project, "a", { name: "A", prompt: \`One.
It is so  cheap.\` });
new Context(project, "b", { name: "B", prompt: "A bargain, SO cheap" });
export default project;
`,
    };
    expect(await validate(code)).toEqual([
      'error forbidden-phrases at avatarops.config.ts:4:7 "so  cheap"',
      'error forbidden-phrases at avatarops.config.ts:5:60 "SO cheap"',
    ]);
  });
});

describe("required-sections", () => {
  const rule = "required-sections: { sections: [Role, Limits of what you say] }";

  test("finds headings in both styles, but not in fenced code", async () => {
    const good = "prompt: |\n  ## role ##\n  Text\n\n  Limits of  what you say\n  -----------------------\n";
    expect(await validate(createProjectFiles(rule, good))).toEqual([]);
    const bad = "prompt: |\n  ```\n  # Role\n  ```\n  # Limits of what you say\n";
    expect(await validate(createProjectFiles(rule, bad))).toEqual([
      expect.stringContaining("error required-sections at avatarops.yaml:6:13"),
    ]);
  });
});

describe("prompt-length", () => {
  test("counts characters as code points", async () => {
    const rule = "prompt-length: { min: 2, max: 3 }";
    expect(await validate(createProjectFiles(rule, 'prompt: "😀😀😀"'))).toEqual([]);
    expect(await validate(createProjectFiles(rule, 'prompt: "😀😀😀😀"'))).toEqual([
      expect.stringMatching(/^error prompt-length at avatarops.yaml:6:13/),
    ]);
    expect(await validate(createProjectFiles(rule, 'prompt: "😀"'))).toHaveLength(1);
  });
});

describe("allowed-link-hosts", () => {
  const rule =
    'allowed-link-hosts: { hosts: [example.com, "*.example.org", "müller.de:8443", "127.0.0.1:*"] }';
  const linkTo = (url: string) => `prompt: Hi\nlinks:\n  - url: ${url}\n    faq: A page\n`;
  const good = [
    "https://example.com/a?b#c",
    "https://EXAMPLE.com:443",
    "https://example.com./",
    "https://a.b.example.org",
    "https://xn--mller-kva.de:8443/x",
    "https://müller.de:8443",
    "http://127.0.0.1:5000",
  ];
  test.each(good)("allows %s", async (url) => {
    expect(await validate(createProjectFiles(rule, linkTo(url)))).toEqual([]);
  });

  const bad = [
    "https://www.example.com",
    "https://example.com:8443",
    "https://example.org",
    "https://notexample.org",
    "https://example.com@evil.test",
    "https://müller.de",
  ];
  test.each(bad)("rejects %s", async (url) => {
    expect(await validate(createProjectFiles(rule, linkTo(url)))).toEqual([
      `error allowed-link-hosts at avatarops.yaml:8:14 ${JSON.stringify(url)}`,
    ]);
  });

  test.each([
    ["https://[2001:db8::1]/pay", "links to [2001:db8::1], which is not allowed"],
    ["http://me@[::1]:8080", "links to [::1]:8080, which is not allowed"],
    ["https://${shop}/track", "links to a host with a placeholder, which cannot be checked"],
    ["https://example.com:${port}", "links to a host with a placeholder, which cannot be checked"],
  ])("rejects %s in a text", async (url, message) => {
    const project = await startProject({ files: createProjectFiles(rule, `prompt: "Go to ${url} (now)"`) });
    const { exit, stdout } = await project.avatarops("validate");
    expect([exit, stdout]).toEqual([1, matchText(`context.support.prompt ${message}`)]);
  });

  test("allows an IPv6 host and placeholders after the host in a text", async () => {
    const prompt = "prompt: See https://[::1]/a and [it](https://example.com/${order}?a=${b}).";
    const files = createProjectFiles('allowed-link-hosts: { hosts: ["[::1]", example.com] }', prompt);
    expect(await validate(files)).toEqual([]);
  });

  test("reports a link to another host in a prompt", async () => {
    expect(await validate(createProjectFiles(rule, "prompt: See (https://evil.test/a) now."))).toEqual([
      'error allowed-link-hosts at avatarops.yaml:6:18 "https://evil.test/a"',
    ]);
  });
});

describe("name-patterns", () => {
  test("reports names and keys that do not match the patterns", async () => {
    const rule = 'name-patterns: { names: ["Sales *"], keys: [desk-*, support] }';
    expect(await validate(createProjectFiles(rule, "prompt: Hi"))).toEqual([
      'error name-patterns at avatarops.yaml:5:11 "Support desk"',
    ]);
    const keys = 'name-patterns: { keys: ["desk-*"] }';
    expect(await validate(createProjectFiles(keys, "prompt: Hi"))).toEqual([
      'error name-patterns at avatarops.yaml:4:3 "support"',
    ]);
  });
});

describe("placeholders", () => {
  const rule = "placeholders: { required: [customer_name], allowed: [order] }";

  test("finds missing and forbidden placeholders", async () => {
    const good = "prompt: Hi ${customer_name}, ${order}.\nopening_text: Hi";
    expect(await validate(createProjectFiles(rule, good))).toEqual([]);
    const bad = "prompt: Hi ${order}.\nopening_text: Hi ${custmer_name}!";
    expect(await validate(createProjectFiles(rule, bad))).toEqual([
      expect.stringContaining("error placeholders at avatarops.yaml:6:13"),
      'error placeholders at avatarops.yaml:7:22 "${custmer_name}"',
    ]);
  });
});
