import { expect, test } from "vitest";
import { expectReports } from "../manifest/mistakes.js";

/** Wraps statements in a complete definitions file. */
function wrapStatements(text: string): string {
  if (text.includes("export ")) return text;
  const project = text.includes("const project = ") ? "" : "const project = new Project();\n";
  return `import { Avatar, Context, env, file, Preset, Project, promptFile, Secret, text, Voice } from "avatarops";
import { Construct } from "constructs";
${project}${text}
export default project;
`;
}

test("reports the line and property name of each error in a TypeScript project", async () => {
  expect(await expectReports(`${import.meta.dirname}/mistakes.txt`, wrapStatements)).not.toContain("4711");
});
