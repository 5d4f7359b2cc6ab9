import { TerraformStack, TerraformVariable } from "cdktn";
import type { Construct } from "constructs";
import { describe, isEnv, type ValueSource } from "../../core/secrets/index.js";

/**
 * The variable for a source: Terraform resolves it when it runs, so that its value is in no file. An
 * environment variable is one variable of the stack, however many secrets use it, and whoever created it.
 * Every other source has its own, named `name`, or `name_2` and so on if that is taken.
 */
export function addVariable(scope: Construct, source: ValueSource, name: string): string {
  const present = variablesIn(scope);
  const stem = (isEnv(source) ? source.name : name).replace(/\W/g, "_");
  if (isEnv(source)) {
    const own = present.get(stem);
    if (own) return own.stringValue;
  }
  let free = stem;
  for (let i = 2; present.has(free); i++) free = `${stem}_${i}`;
  const made = new TerraformVariable(scope, free, {
    type: "string",
    sensitive: true,
    description: `In the manifest: from ${describe(source)}.`,
  });
  // Not even in a saved plan, as `cdktf diff` leaves behind.
  made.addOverride("ephemeral", true);
  // Pipelines set it by name, so its name does not depend on its place in the app.
  made.overrideLogicalId(free);
  return made.stringValue;
}

function variablesIn(scope: Construct): ReadonlyMap<string, TerraformVariable> {
  const variables = TerraformStack.of(scope)
    .node.findAll()
    .filter((node) => node instanceof TerraformVariable);
  return new Map(variables.map((variable) => [variable.friendlyUniqueId, variable]));
}
