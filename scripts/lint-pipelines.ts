/**
 * Checks what is run on code hosts (the Action, GitLab's component, the examples, our own workflows) with actionlint, with the schemas
 * that the hosts publish, and their scripts with ShellCheck; and the pages of the provider with what registries ask of them. Installs these tools first: they take seconds.
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
import { goToolIn } from "./go-tools.js";
import {
  documentsOf,
  pipelineFiles,
  type Script,
  scriptsOfAction,
  scriptsOfGitlab,
  scriptsOfWorkflow,
} from "./pipelines/files.js";
import { pythonToolsIn } from "./pipelines/python-tools.js";

const pythonTools = pythonToolsIn("python");
pythonTools.install();
const python = pythonTools.folder;
const shellcheck = path.join(python, "bin/shellcheck");
/** In quotes stands the code of another language: its `${…}` is not the shell's. */
const shellcheckOptions = "--exclude=SC2016";

const actionlint = goToolIn("actionlint", "actionlint");
actionlint.build();
// It does not know `queue: max` yet.
const actionlintOptions = ["-ignore", 'unexpected key "queue"', "-shellcheck", shellcheck];
report(
  "actionlint",
  spawnSync(actionlint.program, [...actionlintOptions, ...pipelineFiles["github-workflows"]], {
    stdio: "inherit",
    env: { ...process.env, SHELLCHECK_OPTS: shellcheckOptions },
  }),
);

const atlantis = goToolIn("atlantis", "the parser of Atlantis");
atlantis.build();
report("Atlantis", spawnSync(atlantis.program, ["examples/ci/atlantis"], { stdio: "inherit" }));

// Public registries read the provider's pages. Without its schema the tool would look for sources in Go, and it knows a provider by its
// name alone.
const pages = goToolIn("tfplugindocs", "tfplugindocs, 20 s on one processor");
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
    for (const document of documentsOf(file)) {
      if (isValid(document)) continue;
      console.error(
        `${file} does not follow ${name}.json: ${ajv.errorsText(isValid.errors, { dataVar: "" })}`,
      );
      process.exitCode = 1;
    }
}

const scripts: [string, Script[]][] = [
  ["bash", pipelineFiles["github-actions"].flatMap(scriptsOfAction)],
  // actionlint checks those of the jobs.
  ["bash", pipelineFiles["github-workflows"].flatMap(scriptsOfWorkflow)],
  // The runner takes bash where the image has it, and sh elsewhere.
  ["sh", pipelineFiles["gitlab-ci"].flatMap(scriptsOfGitlab)],
];
for (const [shell, list] of scripts)
  for (const { name, text } of list)
    report(
      name,
      spawnSync(shellcheck, [`--shell=${shell}`, shellcheckOptions, "-"], {
        // As runners begin it.
        input: `set -e\n${text}`,
        stdio: ["pipe", "inherit", "inherit"],
      }),
    );

function report(what: string, { status, error }: { status: number | null; error?: Error | undefined }): void {
  if (status === 0) return;
  console.error(`${what} did not pass${error ? `: ${error.message}` : "."}`);
  process.exitCode = 1;
}
