/**
 * Writes the bindings of CDKTF and CDK Terrain from the provider's own schema: no terraform, no network. With
 * `--check` it writes nothing and fails if one of them is out of date; `npm run generate -- --check` checks the constructs.
 */

import { schemaJson } from "@avatarops/terraform-plugin";
import { version } from "../src/base/version/index.js";
import { createProvider } from "../src/entrypoints/terraform/index.js";
import { ephemeralsForCdktf, generate } from "./cdktf/bindings.js";
import { cdktf, cdktn } from "./cdktf/flavour.js";
import { keepFolder } from "./cdktf/keep-folder.js";

const isCheck = process.argv.includes("--check");
const provider = createProvider({ version, environment: {} });
const schema = schemaJson(provider, "registry.terraform.io/avatarops/avatarops");

const forCdktn = await generate(cdktn, schema);
const forCdktf = await generate(cdktf, schema);
await keep("src/entrypoints/cdktf/generated/cdktn", forCdktn);
await keep("src/entrypoints/cdktf/generated/cdktf", new Map([...forCdktf, ...ephemeralsForCdktf(forCdktn)]));

// The constructs over them.
if (!isCheck) await import("./generate.js");

async function keep(folder: string, texts: ReadonlyMap<string, string>): Promise<void> {
  const stale = await keepFolder(folder, texts, isCheck);
  if (stale.length === 0) return;
  const files = stale.map((file) => `  ${folder}/${file}`).join("\n");
  if (!isCheck) return console.log(`Wrote\n${files}`);
  console.error(`Out of date; run \`npm run cdktf:bindings\` and commit the result:\n${files}`);
  process.exitCode = 1;
}
