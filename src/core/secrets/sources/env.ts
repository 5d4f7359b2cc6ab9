import { notSet } from "../source-error.js";
import type { SourceKind } from "../source-kind.js";

export const env: SourceKind<{ readonly name: string }> = {
  name: "env",
  title: "Environment variable",
  fields: { name: { type: "variable", required: true, description: "Name of the variable." } },
  shorthand: {
    example: "!env LLM_API_KEY",
    meaning: "the name of an environment variable",
    hint: "write !env LLM_API_KEY, with the name of the variable and not its value",
    read: (written) => (typeof written === "string" ? { name: written } : undefined),
  },
  describe: ({ name }) => `environment variable ${name}`,
  rights: { value: "the variable in the job's environment" },
  wording: {
    empty: "is empty. Give it a value. CI systems pass an empty text for a secret that does not exist.",
  },
  async read({ name }, { environment }) {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined) return { value };
    throw notSet("is not set. Set it, for example from the secrets of your CI.");
  },
};
