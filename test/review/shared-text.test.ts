import { expect, test } from "vitest";
import { startAndApply, startProject } from "../cli/hosting.js";

const desks = ["returns", "orders", "delivery", "gifts", "repairs", "bicycles"];

const formatPrompt = (desk: string, wish = "day") => `# The desk of ${desk}

You help with ${desk}.
{{> tone}}

## Limits

Never promise a refund, and end with a wish for the ${wish}.
`;

const contexts = desks.map((desk) => `  ${desk}: { name: ${desk}, prompt: !file prompts/${desk}.md }\n`);
const files = {
  "avatarops.yaml": `templates: [prompts/*.md]\ncontexts:\n${contexts.join("")}`,
  "partials/tone.md": "Be kind and brief, ${name}.\n\nSpeak the language of the visitor.\n",
  ...Object.fromEntries(desks.map((desk) => [`prompts/${desk}.md`, formatPrompt(desk)])),
};
const tone = "Be warm and very brief, ${first_name}.\n\nAlways speak the language of the visitor.\n";

test("shows a partial's edit under the first object, and refers to it under the other objects", async () => {
  const project = await startAndApply({ files });
  await project.write("partials/tone.md", tone);
  await project.write("prompts/orders.md", formatPrompt("orders", "week"));
  const { stdout } = await project.avatarops("review", "--dry-run");

  expect(stdout.match(/<strong> warm<\/strong>/g)).toHaveLength(1);
  expect(stdout.match(/<strong> Always speak<\/strong>/g)).toHaveLength(1);
  const [, returns = ""] = stdout.split("<summary>update <code>context.returns</code>");
  const [first = ""] = returns.split("</details>");
  expect(first).toContain("in `partials/tone.md`, line 1\n");
  expect(first).toContain("<blockquote>Be <del>kind</del><strong> warm</strong> and");
  expect(first).toContain(
    "- New placeholder `${first_name}`: callers must pass it when they start a session.\n",
  );
  expect(stdout.match(/The same edit as in `context.returns`\./g)).toHaveLength(5);
  const [, orders = ""] = returns.split("<summary>update <code>context.orders</code>");
  expect(orders).toContain("in `partials/tone.md`, line 1; `prompts/orders.md`, line 8\n");
  expect(orders).toContain("in `The desk of orders`, `Limits` · 6 words in, 4 out");
  expect(orders).toContain("a wish for the <del>day</del><strong> week</strong>.");
});

const formatEnvironments = (...names: string[]) =>
  `environments: { ${names.map((name) => `${name}: { state: ${name}.json }`).join(", ")} }\n`;

test("shows changes shared by two environments under the first environment, and refers to them under the second", async () => {
  const project = await startProject({
    files: {
      ...files,
      "avatarops.yaml": `${formatEnvironments("staging", "production")}${files["avatarops.yaml"]}`,
    },
  });
  await project.avatarops("apply", "--auto-approve", "--env", "staging");
  await project.avatarops("apply", "--auto-approve", "--env", "production");
  await project.write("partials/tone.md", tone);
  const { stdout } = await project.avatarops("review", "--all", "--dry-run");
  expect(stdout.match(/<strong> warm<\/strong>/g)).toHaveLength(1);
  const [, staging = "", production = ""] = stdout.split("## Project");
  expect(staging).toContain("in `partials/tone.md`, line 1\n");
  expect(staging).toContain("| update | `context.bicycles` |");
  expect(production).toContain("The same changes as in `staging`.\n");
  expect(production).not.toMatch(/\| update|<summary>/);
});

test("shows a whitespace change under each affected object in a review", async () => {
  const files = (space: string) => ({
    "prompts/a.md": `A.\nB.${space}\nC.\n`,
    "prompts/b.md": `D.\nB.${space}\nC.\n`,
  });
  const contexts =
    "contexts:\n  a: { name: A, prompt: !file prompts/a.md }\n  b: { name: B, prompt: !file prompts/b.md }\n";
  const project = await startAndApply({ files: { "avatarops.yaml": contexts, ...files("") } });
  for (const [file, text] of Object.entries(files("\n"))) await project.write(file, text);
  const { stdout } = await project.avatarops("review", "--dry-run");
  expect(stdout.match(/<blockquote>B\.<br><strong>⏎<\/strong>/g)).toHaveLength(2);
});
