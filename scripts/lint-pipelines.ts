/**
 * Checks pipeline files (the Action, the GitLab component, the examples, our workflows) with actionlint, the hosts'
 * published schemas and ShellCheck, and the provider's pages with the registry rules. Installs these tools first, which
 * takes seconds.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { toSchemaJson } from "@avatarops/terraform-plugin";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { version } from "../src/base/version/index.js";
import { createProvider } from "../src/entrypoints/terraform/index.js";
import { defineGoTool } from "./go-tools.js";
import {
  listActionScripts,
  listGitlabScripts,
  listWorkflowScripts,
  parseDocuments,
  pipelineFiles,
  type Script,
} from "./pipelines/files.js";
import { definePythonTools } from "./pipelines/python-tools.js";

const pythonTools = definePythonTools("python");
pythonTools.install();
const python = pythonTools.folder;
const shellcheck = path.join(python, "bin/shellcheck");
/** Disables a check that mistakes `${…}` in quoted code of other languages for shell variables. */
const shellcheckOptions = "--exclude=SC2016";

const actionlint = defineGoTool("actionlint", "actionlint");
actionlint.build();
// actionlint does not support `queue: max` yet.
const actionlintOptions = ["-ignore", 'unexpected key "queue"', "-shellcheck", shellcheck];
report(
  "actionlint",
  spawnSync(actionlint.program, [...actionlintOptions, ...pipelineFiles["github-workflows"]], {
    stdio: "inherit",
    env: { ...process.env, SHELLCHECK_OPTS: shellcheckOptions },
  }),
);

const atlantis = defineGoTool("atlantis", "the parser of Atlantis");
atlantis.build();
report("Atlantis", spawnSync(atlantis.program, ["examples/ci/atlantis"], { stdio: "inherit" }));

// Public registries publish the provider's pages. Without the schema, the tool would look for Go sources. It expects
// the provider's name without a prefix.
const pages = defineGoTool("tfplugindocs", "tfplugindocs, 20 s on one processor");
pages.build();
const temporary = mkdtempSync(path.join(tmpdir(), "avatarops-schema-"));
const schemaFile = path.join(temporary, "schema.json");
const provider = createProvider({ version, environment: {} });
writeFileSync(
  schemaFile,
  JSON.stringify(toSchemaJson(provider, "registry.terraform.io/hashicorp/avatarops")),
);
const validated = spawnSync(
  pages.program,
  ["validate", "--provider-name", "avatarops", "--providers-schema", schemaFile],
  { encoding: "utf8" },
);
rmSync(temporary, { recursive: true });
if (validated.status !== 0) console.error(validated.stderr.replace(/^.*\[DEBUG\].*\n/gm, ""));
report("tfplugindocs", validated);

const schemas = path.join(python, "check_jsonschema/builtin_schemas/vendor");
for (const [name, files] of Object.entries(pipelineFiles)) {
  const schema = JSON.parse(readFileSync(path.join(schemas, `${name}.json`), "utf8"));
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  const isValid = ajv.compile(schema);
  for (const file of files)
    for (const document of parseDocuments(file)) {
      if (isValid(document)) continue;
      console.error(
        `${file} does not match ${name}.json: ${ajv.errorsText(isValid.errors, { dataVar: "" })}`,
      );
      process.exitCode = 1;
    }
}

const scripts: [string, Script[]][] = [
  ["bash", pipelineFiles["github-actions"].flatMap(listActionScripts)],
  // actionlint checks the scripts of workflow jobs.
  ["bash", pipelineFiles["github-workflows"].flatMap(listWorkflowScripts)],
  // The GitLab runner uses bash if the image contains it, otherwise sh.
  ["sh", pipelineFiles["gitlab-ci"].flatMap(listGitlabScripts)],
];
for (const [shell, list] of scripts)
  for (const { name, text } of list)
    report(
      name,
      spawnSync(shellcheck, [`--shell=${shell}`, shellcheckOptions, "-"], {
        // Starts scripts as the runners do.
        input: `set -e\n${text}`,
        stdio: ["pipe", "inherit", "inherit"],
      }),
    );

function report(what: string, { status, error }: { status: number | null; error?: Error | undefined }): void {
  if (status === 0) return;
  console.error(`${what} did not pass${error ? `: ${error.message}` : "."}`);
  process.exitCode = 1;
}
