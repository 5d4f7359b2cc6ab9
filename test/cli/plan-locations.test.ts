import { expect, test } from "vitest";
import { startAndApply } from "./hosting.js";

const lines = ["You are the desk.", "", "Ask for the order number first.", "Be kind."];
const text = `${lines.join("\n")}\n`;

test("shows the file and line numbers of each difference in the plan", async () => {
  const body = "---\nname: Body\nopening_text: Hi\n---\n";
  const project = await startAndApply({
    files: {
      "avatarops.yaml": `include: [contexts/*.md]
contexts:
  beside: { name: Beside, prompt: !file prompts/beside.md }
  inline: { name: Inline, prompt: Be kind. }
`,
      "contexts/body.md": body + text,
      "prompts/beside.md": text,
    },
  });
  // Markdown shows an edit only once if several objects share it.
  await project.write("contexts/body.md", body + text.replace("Be kind", "Be very kind"));
  await project.write("prompts/beside.md", text.replace("Be kind", "Be most kind"));
  await project.write(
    "avatarops.yaml",
    (await project.read("avatarops.yaml")).replace("Be kind", "Be always kind"),
  );

  const { stdout } = await project.avatarops("plan");
  expect(stdout).toContain("characters  contexts/body.md\n              8 │ Be {+very +}kind.");
  expect(stdout).toContain("characters  prompts/beside.md\n              4 │ Be {+most +}kind.");
  expect(stdout).toContain("characters\n              1 │ Be {+always +}kind.");

  const markdown = (await project.avatarops("plan", "--format", "markdown")).stdout;
  expect(markdown).toContain("in `contexts/body.md`, line 8\n");
  expect(markdown).toContain("in `prompts/beside.md`, line 4\n");

  const { changes } = await project.json("plan");
  const locations = changes.map((one: { fields: { location?: unknown }[] }) => one.fields[0]?.location);
  expect(locations).toEqual(
    expect.arrayContaining([
      { file: "contexts/body.md", line: 5 },
      { file: "prompts/beside.md", line: 1 },
      undefined,
    ]),
  );
  // Apply shows the same plan.
  expect((await project.avatarops("apply", "--auto-approve")).stderr).toContain("8 │ Be {+very +}kind.");
});
