import { git as gitIn } from "../git/repositories.js";
import { type Project, startAndApply, startProject } from "./hosting.js";

/** Runs git in the project's folder. */
export const git = ({ folder }: Project, ...args: string[]): string => gitIn(folder, ...args);

/** Commits all files and returns the commit id. */
export function commit(project: Project): string {
  git(project, "add", "--all", "--", ".", ":!.avatarops");
  git(project, "commit", "--quiet", "--allow-empty", "-m", "Change");
  return git(project, "rev-parse", "HEAD");
}

/** Pads a prompt so that it is recorded as a digest. */
export const padText = (text: string) =>
  `${text} ${"You answer callers of the returns desk politely and briefly. ".repeat(4)}`.trim();

const createFiles = (prompt = padText("First.")) => ({
  "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: !file prompts/desk.md, opening_text: Hi }\n",
  "prompts/desk.md": `${prompt}\n`,
});

export async function startRepository(prompt?: string): Promise<Project> {
  const project = await startProject({ files: createFiles(prompt) });
  git(project, "init", "--quiet", "-b", "main");
  commit(project);
  await project.expectDone("apply", "-y");
  return project;
}

/** Starts an applied project outside a repository, then writes and applies each of these prompts. */
export async function startAppliedInTurn(...prompts: readonly string[]): Promise<Project> {
  const project = await startAndApply({ files: createFiles() });
  for (const prompt of prompts) {
    await project.write("prompts/desk.md", `${prompt}\n`);
    await project.expectDone("apply", "-y");
  }
  return project;
}

export async function change(project: Project, prompt: string): Promise<string> {
  await project.write("prompts/desk.md", `${prompt}\n`);
  const made = commit(project);
  await project.expectDone("apply", "-y");
  return made;
}

export async function readPromptAt(project: Project, at: string, address = "context.desk") {
  const { fields } = await project.json("show", address, "--at", at);
  return fields.find(({ field }: { field: string }) => field === "prompt").value;
}

/** Removes the prompts from the records, as if interrupted runs had written the records. */
export async function forgetTexts(project: Project, folder = "."): Promise<void> {
  const file = `${folder}/.avatarops/state.json.history`;
  const lines = (await project.read(file)).split("\n").filter((line) => line !== "");
  const without = lines.map((line) => JSON.stringify({ ...JSON.parse(line), texts: undefined }));
  await project.write(file, `${without.join("\n")}\n`);
}

/** Commits and applies each version of a file in a new repository. The second version is tagged v1.4. */
export async function applyEachText(project: Project, file: string, texts: readonly string[]): Promise<void> {
  git(project, "init", "--quiet");
  for (const [at, text] of texts.entries()) {
    await project.write(file, text);
    commit(project);
    if (at === 1) git(project, "tag", "v1.4");
    await project.expectDone("apply", "-y");
  }
}
