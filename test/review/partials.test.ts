// @module-tag ci
/** Tests that a comment shows a changed partial once, in a separate section. */
import { describe, expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import {
  countWords,
  createDeskFiles,
  createEnvironmentFiles,
  createPromptFile,
  kind,
  patient,
  patientShown,
  readClosed,
  reviewChange,
  two,
} from "./desks.js";
import { startReviewTeam } from "./team.js";

const wish = "Wish a pleasant day.";

test("shows an edited partial once for six prompts in two environments, in under 100 words", async () => {
  const desks = [...two, "delivery", "gifts", "repairs", "bicycles"];
  const environments = ["staging", "production"];
  const comment = await reviewChange(
    createDeskFiles(desks, createEnvironmentFiles(desks)),
    { "partials/tone.md": patient },
    { environments, argv: ["--all"] },
  );
  const lines = readClosed(comment)
    .split("\n")
    .filter((line) => line !== "");
  expect(lines.slice(0, 4)).toEqual([
    "## Project `avatarops.yaml` (`staging`)",
    "### Plan: 6 to update; 0 unchanged",
    "Be kind and patient. Answer in two sentences.",
    `**update** \`partials/tone.md\`, line [1], in 6 objects: ${desks.map((desk) => `\`context.${desk}\``).join(", ")}`,
  ]);
  expect(comment.split(patientShown)).toHaveLength(2);
  expect(comment).toContain("\nThe same changes as in `staging`.\n");
  expect(comment).not.toMatch(/^\||<details/m);
  expect(countWords(comment)).toBeLessThan(100);
});

test("shows only a prompt's own changes below its name, and refers to the partial for the rest", async () => {
  const comment = await reviewChange(createDeskFiles([...two, "gifts"]), {
    "partials/tone.md": patient,
    "prompts/orders.md": createPromptFile("orders", wish),
  });
  const [top = "", orders = ""] = comment.split("**update** `context.orders` `Desk of orders`\n");
  expect(top).toContain(`${patientShown}\n\n**update** \`partials/tone.md\`, line [1]`);
  expect(top).toContain("in 3 objects: `context.returns`, `context.orders`, `context.gifts`\n");
  expect(orders).toContain(`<strong><br>${wish}</strong>`);
  expect(orders).toContain("The same edit as in `partials/tone.md`.");
  expect(comment.split("and patient")).toHaveLength(2);
});

test("shows one collapsed rendered prompt if the changed sentence contains a variable", async () => {
  const comment = await reviewChange(
    { ...createDeskFiles(two), "partials/tone.md": "Be kind: {{price}} is much.\n" },
    { "partials/tone.md": "Be kind and patient: {{price}} is much.\n" },
  );
  expect(comment).toContain(
    "<blockquote>Be kind<strong> and patient</strong>: <code>{{price}}</code> is much.",
  );
  const [, returns = ""] = comment.split("<summary>update <code>context.returns</code>");
  expect(returns).toContain("<blockquote>Be kind<strong> and patient</strong>: 9 EUR is much.</blockquote>");
  expect(comment).toContain("in 2 objects: `context.returns`, `context.orders`\n");
  expect(comment.split("<details")).toHaveLength(2);
  expect(comment).not.toMatch(/^\||The same edit as in/m);
});

test("collapses a production prompt that differs from staging, and shows the partial only under staging", async () => {
  const comment = await reviewChange(
    {
      ...createDeskFiles(two, createEnvironmentFiles(two)),
      "partials/tone.md": "Be kind: {{price}} is much.\n",
    },
    { "partials/tone.md": "Be kind and patient: {{price}} is much.\n" },
    { environments: ["staging", "production"], argv: ["--all"] },
  );
  const [, , production = ""] = comment.split("## Project");
  expect(production).toContain(
    "**update** `partials/tone.md` as in `staging`, in 2 objects: `context.returns`, `context.orders`\n",
  );
  expect(production).not.toContain("{{price}}");
  expect(production).toContain("<strong> and patient</strong>: 10 EUR is much.");
});

test("shows all differences of an object with a dashboard edit, not only the partial's edit", async () => {
  const comment = await reviewChange(
    createDeskFiles([...two, "gifts"]),
    { "partials/tone.md": patient },
    {
      prepare: ({ project }) => {
        const live = project.emulator.world.contexts.find(({ name }) => name === "Desk of orders");
        project.emulator.editContext("Desk of orders", { prompt: `${live?.prompt}\n${wish}` });
      },
    },
  );
  expect(comment).toContain("in 2 objects: `context.returns`, `context.gifts`\n");
  const [, orders = ""] = comment.split("**update** `context.orders` `Desk of orders`");
  expect(orders).toContain("**conflicting: edited here and elsewhere since the last apply**");
  expect(orders).toContain("<strong> and patient</strong>");
  expect(orders).toContain(`<strong><br>${wish}</strong>`);
});

test("shows all differences of a prompt with unapplied earlier changes, not only the partial's edit", async () => {
  const comment = await reviewChange(
    createDeskFiles([...two, "gifts"]),
    { "partials/tone.md": patient },
    {
      prepare: async ({ project, commit }) => {
        await project.write("prompts/gifts.md", createPromptFile("gifts", wish));
        return commit();
      },
    },
  );
  expect(comment).toContain("**update** `context.gifts` `Desk of gifts`");
  expect(comment).toContain(`<strong><br>${wish}</strong>`);
});

test("names the changed partial instead of another partial that includes it", async () => {
  const comment = await reviewChange(
    {
      ...createDeskFiles(two),
      "partials/tone.md": "Rules of all desks:\n\n{{> manners}}\n",
      "partials/manners.md": kind,
    },
    { "partials/manners.md": patient },
  );
  expect(comment).toContain(`${patientShown}\n\n**update** \`partials/manners.md\`, line [1]`);
  expect(comment).not.toContain("partials/tone.md");
  expect(comment).not.toMatch(/^\||<details/m);
});

test("expands one rendered prompt when a partial starts to include another", async () => {
  const comment = await reviewChange(
    { ...createDeskFiles([...two, "gifts"]), "partials/legal.md": "A lawyer may read this.\n" },
    { "partials/tone.md": `${patient}{{> legal}}\n` },
  );
  expect(comment).toContain("<strong><code>{{&#62;</code> <code>legal}}</code><br></strong>");
  const [, returns = "", ...others] = comment.split("<details");
  expect(returns).toMatch(/^ open>\n<summary>update <code>context\.returns<\/code>/);
  expect(returns).toContain("<strong>A lawyer may read this.<br></strong>");
  expect(others).toEqual([]);
});

test("shows the removed words if a partial is no longer included", async () => {
  const comment = await reviewChange(
    {
      ...createDeskFiles(two),
      "partials/tone.md": `${kind}{{> legal}}\n`,
      "partials/legal.md": "A lawyer may read this.\n",
    },
    { "partials/tone.md": kind },
  );
  expect(comment).toContain("<details open>\n<summary>update <code>context.returns</code>");
  expect(comment).toContain("<del>A lawyer may read this.<br></del>");
});

test("compares a renamed partial with its earlier file", async () => {
  const renamed = two.map(
    (desk) => [`prompts/${desk}.md`, createPromptFile(desk).replace("> tone", "> voice")] as const,
  );
  const long = Array.from({ length: 12 }, (_, at) => `Rule ${at} is a rule.\n`).join("");
  const comment = await reviewChange(
    { ...createDeskFiles(two), "partials/tone.md": long + kind },
    { ...Object.fromEntries(renamed), "partials/voice.md": long + patient },
    { prepare: ({ git }) => void git("mv", "partials/tone.md", "partials/voice.md") },
  );
  expect(comment).toContain(`${patientShown}\n\n**update** \`partials/voice.md\`, line [13]`);
  expect(comment).toContain(" (renamed from `partials/tone.md`), in 2 objects:");
  expect(comment).not.toMatch(/^\||<details/m);
});

test("compares a renamed, changed one-line partial with its earlier file", async () => {
  const renamed = two.map(
    (desk) => [`prompts/${desk}.md`, createPromptFile(desk).replace("> tone", "> voice")] as const,
  );
  const comment = await reviewChange(
    createDeskFiles(two),
    { ...Object.fromEntries(renamed), "partials/voice.md": patient },
    { prepare: ({ git }) => void git("rm", "--quiet", "partials/tone.md") },
  );
  expect(comment).toContain(`${patientShown}\n\n**update** \`partials/voice.md\`, line [1]`);
  expect(comment).toContain(" (renamed from `partials/tone.md`), in 2 objects:");
  expect(comment).not.toMatch(/^\||<details/m);
});

test("does not show an unrelated file as the earlier version of a new partial", async () => {
  const comment = await reviewChange(
    { ...createDeskFiles(two), "partials/unused.md": "Another text.\n" },
    {
      ...Object.fromEntries(
        two.map((desk) => [`prompts/${desk}.md`, `${createPromptFile(desk)}{{> voice}}\n`]),
      ),
      "partials/voice.md": "Speak slowly.\n",
    },
    { prepare: ({ git }) => void git("rm", "--quiet", "partials/unused.md") },
  );
  expect(comment).toContain("Speak slowly.");
  expect(comment).not.toContain("renamed from");
});

test("shows a changed partial once for prompts in YAML, Markdown and TypeScript", async () => {
  const comment = await reviewChange(
    {
      ...createDeskFiles(["returns"]),
      "avatarops.yaml": `include: [desks/*.md, desks.ts]\n${createDeskFiles(["returns"])["avatarops.yaml"]}`,
      "desks/orders.md": `---\nname: Orders\ntemplate: true\n---\n${createPromptFile("orders")}`,
      "prompts/gifts.md": createPromptFile("gifts"),
      "desks.ts":
        'import { Context, Project, promptFile } from "avatarops";\nconst project = new Project();\nnew Context(project, "gifts", { name: "Gifts", prompt: promptFile("prompts/gifts.md") });\nexport default project;\n',
    },
    { "partials/tone.md": patient },
  );
  expect(comment).toContain("in 3 objects: `context.returns`, `context.orders`, `context.gifts`\n");
  expect(comment.split("and patient")).toHaveLength(2);
});

test("collapses the list of objects that use a changed partial if there are more than ten", async () => {
  const desks = Array.from({ length: 12 }, (_, at) => `desk${at}`);
  const comment = await reviewChange(createDeskFiles(desks), { "partials/tone.md": patient });
  expect(readClosed(comment)).toMatch(
    /\*\*update\*\* `partials\/tone\.md`, line \[1\], in 12 objects\n\n12 objects\n/,
  );
  expect(comment).toContain("`context.desk0`, `context.desk1`");
});

test("compares a fork's partial with the base", async () => {
  const comment = await reviewChange(
    createDeskFiles(two),
    { "partials/tone.md": patient },
    { prepare: ({ world }) => void Object.assign(world.pulls[0] ?? {}, { fromFork: true }) },
  );
  expect(comment).toContain(`${patientShown}\n\n**update** \`partials/tone.md\`, line [1]`);
  expect(comment).not.toMatch(/^\||<details/m);
});

test("shows the changes to each prompt instead of the partial if git lacks the base commit", async () => {
  const comment = await reviewChange(
    createDeskFiles(two),
    { "partials/tone.md": patient },
    { prepare: () => "0".repeat(40) },
  );
  expect(comment).toContain("| update | `context.returns`");
  expect(comment.split(patientShown)).toHaveLength(2);
});

test("lists all objects that get a new placeholder from a partial on one line", async () => {
  const comment = await reviewChange(
    {
      ...createDeskFiles([...two, "gifts"]),
      "prompts/gifts.md": createPromptFile("gifts", "Hello, ${first_name}."),
    },
    { "partials/tone.md": "Be kind, ${first_name}. Answer in two sentences.\n" },
  );
  expect(comment).toContain(
    "- New placeholder `${first_name}`: callers must pass it when they start a session. (`context.returns`, `context.orders`)\n",
  );
});

describe("review of a branch that lacks commits of its base", () => {
  const shared = {
    "avatarops.yaml": `state: git+refs://origin/avatarops/production
templates: [prompts/*.md]
contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md }
  night: { name: Night, prompt: !file prompts/night.md }
`,
    "prompts/desk.md": "The desk.\n\n{{> tone}}\n",
    "prompts/night.md": "The night.\n\n{{> tone}}\n",
    "partials/tone.md": kind,
  };

  test("shows only the branch's own edit to a partial", {
    tags: "night",
  }, async () => {
    const team = await startReviewTeam();
    const others = "Speak clearly.\n\nNever hurry a guest.\n\n";
    await team.land({ ...shared, "partials/tone.md": others + kind });
    team.propose(7, { "partials/tone.md": others + patient });
    await team.land({ "partials/tone.md": others.replace("clearly", "slowly") + kind });
    await expectSuccess(team.review(7));
    expect(team.comment(7)).toContain(`${patientShown}\n\n**update** \`partials/tone.md\`, line [5]`);
    expect(team.comment(7)).not.toMatch(/slowly|^\||<details/m);
  });

  test("shows all differences of each prompt if branch and base changed the same line", {
    tags: "night",
  }, async () => {
    const team = await startReviewTeam();
    await team.land(shared);
    team.propose(7, { "partials/tone.md": patient });
    await team.land({ "partials/tone.md": kind.replace("kind", "brief") });
    await expectSuccess(team.review(7));
    expect(team.comment(7)).toContain("> **Behind:**");
    expect(team.comment(7)).toContain("Be <del>brief</del><strong> kind and patient</strong>");
  });

  test("shows a partial's edit relative to the branch point if the base's edit to the same line is unapplied", {
    tags: "night",
  }, async () => {
    const team = await startReviewTeam();
    await team.land(shared);
    team.propose(7, { "partials/tone.md": patient });
    team.ana.commit({ "partials/tone.md": kind.replace("kind", "brief") });
    team.ana.push();
    await expectSuccess(team.review(7));
    expect(team.comment(7)).toContain("> **Behind:**");
    expect(team.comment(7)).toContain(`${patientShown}\n\n**update** \`partials/tone.md\`, line [1]`);
    expect(team.comment(7)).not.toMatch(/^\||<details/m);
  });
});

describe("hostile and long partials", () => {
  test("are shown as plain text, including markup and mentions", async () => {
    const hostile =
      "Be kind <img src=x onerror=alert(1)> @team ![x](https://evil.example/a.png) </blockquote>\n";
    const comment = await reviewChange(createDeskFiles(two), { "partials/tone.md": hostile });
    expect(comment).not.toContain("<img");
    expect(comment).not.toMatch(/@team(?!<\/code>)/);
    expect(comment).not.toMatch(/!\[x\]\((?!.*<\/code>)/);
    expect(comment.split("</blockquote>")).toHaveLength(2);
  });

  test("are listed with a note if their differences do not fit", {
    tags: "night",
  }, async () => {
    const rest = "It is a rule like any other, and has as many words as rules have in a house like this one.";
    const text = (word: string) =>
      Array.from({ length: 700 }, (_, at) => `Rule ${at} is for ${word}. ${rest}\n\n${at}.\n\n`).join("");
    const comment = await reviewChange(
      { ...createDeskFiles(two), "partials/tone.md": text("guests") },
      { "partials/tone.md": text("visitors") },
    );
    expect(Buffer.byteLength(comment)).toBeLessThan(65_000);
    expect(comment).toContain("in 2 objects: `context.returns`, `context.orders`");
    expect(comment).toContain("_Too long for a comment: differences left out.");
  });
});
