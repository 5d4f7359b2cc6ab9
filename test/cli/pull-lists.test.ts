/** Checks that pulling an edit to one link keeps the text of all other links. */
import { describe, expect, test } from "vitest";
import { matchText, type Project, startAndApply } from "./hosting.js";

const formatManifest = (links: string) =>
  `contexts:\n  t:\n    name: T\n    prompt: x\n    links:${links}    # below\n    opening_text: Hi\n`;
const plain =
  "\n      - url: https://example.com/terms\n        faq: Terms\n      - url: https://example.com/late\n        faq: Late\n";

async function startEdited(links: string): Promise<Project> {
  const files = { "avatarops.yaml": formatManifest(links), "faq/late.md": "Late\n" };
  const project = await startAndApply({ files });
  const [live] = project.emulator.world.contexts;
  const [first, second] = live?.links ?? [];
  if (!first || !second) throw new Error("no links");
  project.emulator.editContext("T", { links: [{ ...first, faq: "Terms of 2027" }, second] });
  return project;
}

describe("pull of an edited link", () => {
  test.for([
    ["another link comes from a file", plain.replace("faq: Late", "faq: !file faq/late.md")],
    [
      "there is a comment above another link",
      plain.replace("      - url: https://example.com/late", "      # until June\n$&"),
    ],
    ["there is a comment above the first link", plain.replace("\n", "\n      # Legal asked for this page\n")],
    ["there is a comment next to a value", plain.replace("late\n", "late # keep\n")],
    [
      "there is a comment between brackets",
      " [\n      { url: 'https://example.com/terms', faq: Terms }, # keep\n      { url: 'https://example.com/late', faq: Late } ]\n",
    ],
    [
      "there is a comment next to a dash",
      plain.replace(
        "- url: https://example.com/late",
        "- # until June\n        url: https://example.com/late",
      ),
    ],
  ] as const)("changes only the edited line if %s", async ([, links]) => {
    const project = await startEdited(links);
    await project.expectDone("pull", "-y");
    expect(await project.read("avatarops.yaml")).toBe(
      formatManifest(links).replace("faq: Terms", "faq: Terms of 2027"),
    );
    await project.expectNothingToDo();
  });

  test.for([
    [
      "the link comes from a file",
      plain.replace("faq: Terms", "faq: !file faq/late.md"),
      "it comes from !file faq/late.md, so edit that file by hand.",
    ],
  ] as const)("is rejected without changing the file if %s", async ([, links, why]) => {
    const project = await startEdited(links);
    expect(await project.avatarops("pull", "-y")).toMatchObject({ exit: 1, stdout: matchText(why) });
    expect(await project.read("avatarops.yaml")).toBe(formatManifest(links));
    const shown = await project.avatarops("plan", "--target", "context.t");
    expect(shown.stdout).toContain("Terms of 2027");
    await project.write("faq/late.md", "Terms of 2027\n");
    await project.expectDone("drift");
  });

  test("is rejected if a removed link has a comment", async () => {
    const links = plain.replace("      - url: https://example.com/late", "      # until June\n$&");
    const project = await startEdited(links);
    const [first] = project.emulator.world.contexts[0]?.links ?? [];
    project.emulator.editContext("T", { links: first ? [first] : [] });
    const why = "the list has comments that would be lost, so edit the list by hand";
    expect(await project.avatarops("pull", "-y")).toMatchObject({ exit: 1, stdout: matchText(why) });
    expect(await project.read("avatarops.yaml")).toBe(formatManifest(links));
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

  test("still pulls other edits in the same file if the link is rejected", async () => {
    const project = await startEdited(plain.replace("faq: Terms", "faq: !file faq/late.md"));
    project.emulator.editContext("T", { opening_text: "Hello" });
    expect(await project.avatarops("pull", "-y")).toMatchObject({ exit: 3 });
    expect(await project.read("avatarops.yaml")).toContain("opening_text: Hello");
  });

  test("keeps the comment of a list that becomes empty", async () => {
    const project = await startEdited(` # our pages${plain}`);
    project.emulator.editContext("T", { links: [] });
    expect(await project.avatarops("pull", "-y")).toMatchObject({ exit: 1 });
    expect(await project.read("avatarops.yaml")).toContain("# our pages");
  });
});
