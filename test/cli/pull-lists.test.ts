/** A list is written as a whole, so an edit of one entry is rejected if it would lose something of the others. */
import { describe, expect, test } from "vitest";
import { type Project, saying, startApplied } from "./hosting.js";

const manifest = (links: string) =>
  `contexts:\n  t:\n    name: T\n    prompt: x\n    links:${links}    # below\n    opening_text: Hi\n`;
const plain =
  "\n      - url: https://example.com/terms\n        faq: Terms\n      - url: https://example.com/late\n        faq: Late\n";

async function startEdited(links: string): Promise<Project> {
  const files = { "avatarops.yaml": manifest(links), "faq/late.md": "Late\n" };
  const project = await startApplied({ files });
  const [live] = project.emulator.world.contexts;
  const [first, second] = live?.links ?? [];
  if (!first || !second) throw new Error("no links");
  project.emulator.editContext("T", { links: [{ ...first, faq: "Terms of 2027" }, second] });
  return project;
}

describe("pull of an edited link", () => {
  test.for([
    [
      "another comes from a file",
      plain.replace("faq: Late", "faq: !file faq/late.md"),
      "part of the list comes from !file",
    ],
    [
      "there is a comment above another",
      plain.replace("      - url: https://example.com/late", "      # until June\n$&"),
      "the list has comments",
    ],
    [
      "there is a comment above the first",
      plain.replace("\n", "\n      # Legal asked for this page\n"),
      "the list has comments",
    ],
    ["there is a comment beside a value", plain.replace("late\n", "late # keep\n"), "the list has comments"],
    [
      "there is a comment between brackets",
      " [\n      { url: 'https://example.com/terms', faq: Terms }, # keep\n      { url: 'https://example.com/late', faq: Late } ]\n",
      "the list has comments",
    ],
    [
      "there is a comment beside a dash",
      plain.replace(
        "- url: https://example.com/late",
        "- # until June\n        url: https://example.com/late",
      ),
      "the list has comments",
    ],
  ] as const)("is rejected if %s, and the file stays", async ([, links, why]) => {
    const project = await startEdited(links);
    const pulled = await project.avatarops("pull", "-y");
    expect(pulled).toMatchObject({ exit: 1, stdout: saying(`${why}, which would be lost`) });
    expect(await project.read("avatarops.yaml")).toBe(manifest(links));
    expect(await project.avatarops("drift")).toMatchObject({ exit: 2 });
  });

  test("keeps comments after the key and below the list", async () => {
    const project = await startEdited(` # our pages${plain}`);
    await project.expectDone("pull", "-y");
    const text = await project.read("avatarops.yaml");
    expect(text).toContain("Terms of 2027");
    expect(text).toContain("links: # our pages");
    expect(text).toContain("# below");
    await project.expectNothingToDo();
  });

  test("writes other edits of the same file", async () => {
    const project = await startEdited(plain.replace("faq: Late", "faq: !file faq/late.md"));
    project.emulator.editContext("T", { opening_text: "Hello" });
    expect(await project.avatarops("pull", "-y")).toMatchObject({ exit: 3 });
    expect(await project.read("avatarops.yaml")).toContain("opening_text: Hello");
  });

  test("does not drop the comment of an emptied list", async () => {
    const project = await startEdited(` # our pages${plain}`);
    project.emulator.editContext("T", { links: [] });
    expect(await project.avatarops("pull", "-y")).toMatchObject({ exit: 1 });
    expect(await project.read("avatarops.yaml")).toContain("# our pages");
  });
});
