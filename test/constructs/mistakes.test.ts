import { expect, test } from "vitest";
import { expectTold } from "../manifest/told.js";

/** A file around statements that are shown alone. */
function whole(text: string): string {
  if (text.includes("export ")) return text;
  const project = text.includes("const project = ") ? "" : "const project = new Project();\n";
  return `import { Avatar, Context, env, file, Preset, Project, promptFile, Secret, text, Voice } from "avatarops";
import { Construct } from "constructs";
${project}${text}
export default project;
`;
}

test("every mistake is told at its place in the code and in the words of code", async () => {
  expect(await expectTold(`${import.meta.dirname}/mistakes.txt`, whole)).not.toContain("4711");
});
