// @module-tag ci
import { expect, test } from "vitest";
import { countSteps } from "./meter.js";

// Must come after the meter, which only counts modules loaded later.
const { startChange } = await import("../review/change.js");

const createTexts = (count: number, word: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `prompts/c${at}.md`,
      `---\nname: C${at}\n---\n${`You are ${at}, and you are ${word}.\n\nAnswer briefly.\n\n`.repeat(6)}`,
    ]),
  );

/** Reviews a change to several prompts. Returns the comment and the steps for comparing and rendering. */
async function review(count: number) {
  const files = { "avatarops.yaml": "include: [prompts/*.md]\n", ".gitignore": ".avatarops/\n" };
  const change = await startChange("github", { ...files, ...createTexts(count, "kind") });
  await change.project.expectDone("apply", "-y");
  for (const [file, text] of Object.entries(createTexts(count, "warm")))
    await change.project.write(file, text);
  change.commit();
  const steps = await countSteps(async () => {
    expect(await change.review()).toMatchObject({ exit: 0 });
  });
  const rendering = [...steps].filter(([position]) => /\/render\/|node_modules\/diff/.test(position));
  const [{ body } = { body: "" }] = change.world.comments;
  return { body, rendering: rendering.reduce((sum, [, own]) => sum + own, 0) };
}

test("renders only as many diffs of a large change as fit in a comment", async () => {
  const [some, many] = [await review(150), await review(300)];
  expect(many.body).toContain("Too long for a comment");
  expect(many.rendering).toBeLessThan(1.6 * some.rendering);
});

test("compares each pair of environments only once for a comment about many projects", async () => {
  const cost = async (count: number) => {
    const environments = Array.from(
      { length: count },
      (_, at) =>
        `  e${at}: { state: .avatarops/e${at}.json, contexts: { c0: { opening_text: Hi ${at} } } }\n`,
    ).join("");
    const change = await startChange("gitea", {
      "desk/avatarops.yaml": `include: [prompts/*.md]\nenvironments:\n${environments}`,
      ...Object.fromEntries(
        Object.entries(createTexts(1, "kind")).map(([file, text]) => [`desk/${file}`, text]),
      ),
    });
    await change.project.write("desk/prompts/c0.md", createTexts(1, "warm")["prompts/c0.md"] ?? "");
    change.commit();
    const steps = await countSteps(() => change.review({}, "--all", "--no-changed-since"));
    expect(change.world.comments[0]?.body).toContain("## Project `desk/avatarops.yaml` (`e3`)");
    return steps;
  };
  const [half, whole] = [await cost(5), await cost(10)];
  const position = [...whole.keys()].find((key) => /reviews-markdown.*toPlanKey/.test(key)) ?? "";
  expect(whole.get(position)).toBeLessThan(2.6 * (half.get(position) ?? 0));
});
