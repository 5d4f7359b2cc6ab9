import type { TerraformMetaArguments } from "cdktn";
import { literal } from "./literal.js";

const names = new Set<string>([
  "dependsOn",
  "count",
  "provider",
  "forEach",
  "lifecycle",
  "connection",
  "provisioners",
] satisfies (keyof TerraformMetaArguments)[]);

/** The same arguments, with all texts escaped except those of Terraform's own arguments. */
export function literalButMeta<P extends object>(props: P): P {
  const entries = Object.entries(props).map(([name, value]) => [
    name,
    names.has(name) ? value : literal(value),
  ]);
  return Object.fromEntries(entries) as P;
}
