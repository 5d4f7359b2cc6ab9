import { type TerraformElement, Token } from "cdktn";
import type { Construct } from "constructs";
import { suggest } from "../../base/diagnostics/index.js";
import { conflictHint, conflictInText, isMapping, snakeCase } from "../../base/text/index.js";
import { type Kind, kindNamed, objectSchema, problemsIn } from "../../core/kinds/index.js";
import { camelCase } from "../../core/manifest/index.js";
import { metaArguments } from "./literal.js";

/*
 * Synthesis fails where arguments break the rules of a manifest. What only Terraform will know, and what settings of the
 * provider decide, is left to the provider.
 */

/** Checks the arguments of an object of a kind, which becomes a resource. */
export function checkArguments(
  scope: Construct,
  kindName: string,
  given: object,
  resource: TerraformElement,
): void {
  checkNames(resource, given);
  const kind = kindNamed(kindName);
  if (!kind) throw new Error(`Bug: no kind ${kindName}`);
  const problems = (): string[] => {
    const { shape } = objectSchema(kind);
    return known(given).flatMap(([argument, value]) => {
      const name = snakeCase(argument);
      const field = kind.fields[name];
      const isOpen = field?.type === "string" && (field.writeOnly || field.valuesFrom);
      if (isOpen || !shape[name]) return [];
      return complaints(shape[name], argument, knownParts(value));
    });
  };
  scope.node.addValidation({ validate: problems });
  if (kind.identity === "created" && kind.update) checkName(scope, kind, given, resource);
}

/** The construct that was the first with a name, by stack; of each kind and provider. */
const named = new WeakMap<object, Map<string, string>>();

/** Refuses a name that another construct of the account has, by which the provider finds an object again. */
function checkName(scope: Construct, { name, label }: Kind, given: object, resource: TerraformElement): void {
  const { provider, ...values } = given as { provider?: TerraformElement; [argument: string]: unknown };
  const value = values[camelCase(label)];
  if (Token.isUnresolved(value)) return;
  const names = named.get(resource.cdktfStack) ?? new Map<string, string>();
  named.set(resource.cdktfStack, names);
  const key = JSON.stringify([name, provider?.fqn, value]);
  const first = names.get(key);
  if (first === undefined) names.set(key, scope.node.path);
  else {
    const problem = `${camelCase(label)} is ${JSON.stringify(value)}, as that of ${first}: use a different one for each`;
    scope.node.addValidation({ validate: () => [problem] });
  }
}

/** Refuses arguments that a binding does not have, and would leave out: `tsx` runs an app without checking its types. */
export function checkNames(binding: TerraformElement, given: object): void {
  const { synthesizeAttributes } = binding as unknown as { synthesizeAttributes(): object };
  const attributes = Object.keys(synthesizeAttributes.call(binding));
  const names = attributes.map((name) => camelCase(name.replace(/_wo(?=_version$|$)/, "")));
  const problems = Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined || names.includes(name) || metaArguments.has(name)) return [];
    const hint = suggest(name, names, `its arguments are ${names.join(", ")}`);
    return [`there is no argument ${JSON.stringify(name)}: ${hint}`];
  });
  binding.node.addValidation({ validate: () => problems });
}

function complaints(
  schema: Parameters<typeof problemsIn>[0] | undefined,
  name: string,
  value: unknown,
): string[] {
  if (!schema) return [];
  // Required is what the types require; what is missing here is known later.
  const problems = problemsIn(schema, name, value).filter(({ code }) => code !== "missing-field");
  const merge =
    typeof value === "string" && conflictInText(value)
      ? [{ message: `${name} has git's conflict markers`, hint: conflictHint }]
      : [];
  return [...problems, ...merge].map(({ message, hint }) => (hint ? `${message}: ${hint}` : message));
}

/** What is known now: no token, and no text with a token in it. */
function known(given: object): [argument: string, value: unknown][] {
  return Object.entries(given).filter(([, value]) => value !== undefined && !Token.isUnresolved(value));
}

/** What is not known yet in a list or an object is undefined, as if it were not given. */
function knownParts(value: unknown): unknown {
  if (Token.isUnresolved(value)) return undefined;
  if (Array.isArray(value)) return value.map(knownParts);
  if (!isMapping(value)) return value;
  return Object.fromEntries(known(value).map(([argument, part]) => [snakeCase(argument), knownParts(part)]));
}
