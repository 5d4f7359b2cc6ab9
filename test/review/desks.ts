/** Sets up desks whose prompts share a partial and a variable, and reviews a change. */
import { expectSuccess } from "../cli/hosting.js";
import { type Change, startChange } from "./change.js";
import { createPullVariables } from "./job.js";

export type Files = Readonly<Record<string, string>>;

export const kind = "Be kind. Answer in two sentences.\n";
export const patient = "Be kind and patient. Answer in two sentences.\n";
export const patientShown =
  "<blockquote>Be kind<strong> and patient</strong>. Answer in two sentences.</blockquote>";

export const createPromptFile = (desk: string, rest = "") =>
  `# The desk of ${desk}\n\nYou help with ${desk}.\n\n{{> tone}}\n\n## Limits\n\nNever promise a refund for ${desk}. A return costs {{price}}.\n${rest}`;

export const createDeskFiles = (desks: readonly string[], settings = ""): Files => ({
  "avatarops.yaml": [
    `templates: [prompts/*.md]\nvariables: { price: 9 EUR }\n${settings}contexts:\n`,
    ...desks.map((desk) => `  ${desk}: { name: Desk of ${desk}, prompt: !file prompts/${desk}.md }\n`),
  ].join(""),
  ...Object.fromEntries(desks.map((desk) => [`prompts/${desk}.md`, createPromptFile(desk)])),
  "partials/tone.md": kind,
  ".gitignore": "*.json\n.avatarops/\n",
});

/** Declares two environments. Production has its own names and price. */
export const createEnvironmentFiles = (desks: readonly string[]) => {
  const names = desks.map((desk) => `${desk}: { name: Production ${desk} }`).join(", ");
  return `environments:\n  staging: { state: s.json }\n  production: { state: p.json, variables: { price: 10 EUR }, contexts: { ${names} } }\n`;
};

interface Steps {
  /** Runs before the change is committed. May return another base commit. */
  readonly prepare?: (change: Change) => unknown;
  readonly environments?: readonly string[];
  readonly argv?: readonly string[];
}

/** Returns the comment on a change in an applied project, without its marker. */
export async function reviewChange(before: Files, after: Files, steps: Steps = {}): Promise<string> {
  const { prepare, environments = [], argv = [] } = steps;
  const change = await startChange("github", before);
  const applies = environments.length > 0 ? environments.map((env) => ["--env", env]) : [[]];
  for (const options of applies) await change.project.expectDone("apply", "-y", ...options);
  const base = await prepare?.(change);
  for (const [file, text] of Object.entries(after)) await change.project.write(file, text);
  const commit = change.commit();
  const [pull] = change.world.pulls;
  const more =
    pull && typeof base === "string"
      ? createPullVariables(change, { ...pull, baseCommit: base, commit })
      : {};
  await expectSuccess(change.review(more, ...argv));
  const [{ body = "" } = {}] = change.world.comments;
  return body.slice(body.indexOf("\n") + 1);
}

/** Returns a comment's visible text, without collapsed sections and link URLs. */
export const readClosed = (comment: string) =>
  comment
    .replace(/<details>\n<summary>(.*?)<\/summary>[\s\S]*?<\/details>/g, "$1")
    .replace(/\]\(<[^>]*>\)/g, "]")
    .replace(/<[^>]+>/g, "");

export const countWords = (comment: string) =>
  readClosed(comment)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

export const two = ["returns", "orders"];
