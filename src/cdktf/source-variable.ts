import { TerraformStack, TerraformVariable } from "cdktf";
import type { Construct } from "constructs";
import { describe, type ValueSource } from "../secrets/index.js";

/**
 * The variable that stands for a source: Terraform looks it up when it runs, so that its value is in no file. A stack
 * has one for each name, whoever made it: two secrets from one environment variable are one variable. `name` is for
 * sources that have none of their own.
 */
export function variableOf(scope: Construct, source: ValueSource, name: string): string {
  const variableName = (source.from === "env" ? source.name : name).replace(/\W/g, "_");
  const present = TerraformStack.of(scope)
    .node.findAll()
    .find((one) => one instanceof TerraformVariable && one.friendlyUniqueId === variableName);
  if (present) return (present as TerraformVariable).stringValue;
  const made = new TerraformVariable(scope, variableName, {
    type: "string",
    sensitive: true,
    description: `In the manifest: from ${describe(source)}.`,
  });
  // Not even in a saved plan, such as `cdktf diff` leaves behind.
  made.addOverride("ephemeral", true);
  // Its name is what a pipeline sets, so it is not made of where it stands in the app.
  made.overrideLogicalId(variableName);
  return made.stringValue;
}
