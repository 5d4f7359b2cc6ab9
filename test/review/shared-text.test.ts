import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";

const desks = ["returns", "orders", "delivery", "gifts", "repairs", "bicycles"];
const names = desks.map((desk) => `\`context.${desk}\``).join(", ");

const prompt = (desk: string, wish = "day") => `# The desk of ${desk}

You help with ${desk}.
{{> tone}}

## Limits

Never promise a refund, and end with a wish for the ${wish}.
`;

test("an edit of a partial is shown once, with the names of all objects that it changes; their own edits stay theirs", async () => {
  const contexts = desks.map((desk) => `  ${desk}: { name: ${desk}, prompt: !file prompts/${desk}.md }\n`);
  const project = await startProject({
    files: {
      "avatarops.yaml": `templates: [prompts/*.md]\npolicies: { grown-prompt: { factor: 1, above: 1 } }\ncontexts:\n${contexts.join("")}`,
      "partials/tone.md": "Be kind and brief, ${name}.\n\nSpeak the language of the visitor.\n",
      ...Object.fromEntries(desks.map((desk) => [`prompts/${desk}.md`, prompt(desk)])),
    },
  });
  await project.avatarops("apply", "--auto-approve");
  const tone = "Be warm and very brief, ${first_name}.\n\nAlways speak the language of the visitor.\n";
  await project.write("partials/tone.md", tone);
  await project.write("prompts/orders.md", prompt("orders", "week"));
  const { stdout } = await project.avatarops("review", "--dry-run");

  expect(stdout.match(/<strong> warm<\/strong>/g)).toHaveLength(1);
  expect(stdout.match(/^\+ Be warm/gm)).toHaveLength(1);
  expect(stdout.match(/<strong> Always speak<\/strong>/g)).toHaveLength(1);
  expect(stdout.match(new RegExp(`^The same in 6 objects, ${names}:$`, "gm"))).toHaveLength(1);
  expect(stdout.match(/^What it shares with `context\.returns` is shown there\.$/gm)).toHaveLength(5);
  const [, orders = ""] =
    /<summary>update <code>context\.orders<\/code>([\s\S]*?)<summary>update/.exec(stdout) ?? [];
  expect(orders).toContain(
    "in `The desk of orders`, `Limits` · 6 words in, 4 out · `${first_name}` in · `${name}` out · rules: `grown-prompt` · 195 of 60,000 characters",
  );
  expect(orders).toContain("a wish for the <del>day</del><strong> week</strong>.");
  expect(orders).toContain("+ Never promise a refund, and end with a wish for the week.");
});

test("what differs in nothing but space is shown at each object", async () => {
  const files = (space: string) => ({
    "prompts/a.md": `A.\nB.${space}\nC.\n`,
    "prompts/b.md": `D.\nB.${space}\nC.\n`,
  });
  const contexts =
    "contexts:\n  a: { name: A, prompt: !file prompts/a.md }\n  b: { name: B, prompt: !file prompts/b.md }\n";
  const project = await startProject({ files: { "avatarops.yaml": contexts, ...files("") } });
  await project.avatarops("apply", "--auto-approve");
  for (const [file, text] of Object.entries(files("\n"))) await project.write(file, text);
  const { stdout } = await project.avatarops("review", "--dry-run");
  expect(stdout).not.toContain("shares with");
  expect(stdout.match(/^@@/gm)).toHaveLength(2);
});
