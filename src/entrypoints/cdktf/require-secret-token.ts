import {
  DefaultTokenResolver,
  StringConcat,
  type TerraformElement,
  TerraformLocal,
  TerraformStack,
  TerraformVariable,
  Token,
  Tokenization,
} from "cdktn";
import type { Construct } from "constructs";
import { containsLiteral, listReferences } from "./secret-expression.js";

/**
 * Rejects a literal secret immediately, before it can reach `cdk.tf.json`. During synthesis, rejects literals inside an
 * expression, a local value or a variable's default. Also rejects a variable that is not sensitive, because Terraform
 * would print its value.
 */
export function requireSecretToken(scope: Construct, name: string, value: string): string {
  if (!Token.isUnresolved(value)) throw new Error(`${scope.node.path}: ${describeLiteral(name)}`);
  scope.node.addValidation({ validate: () => findProblems(scope, name, value) });
  return value;
}

function findProblems(scope: Construct, name: string, value: string): string[] {
  const expression = followLocals(scope, resolve(scope, value));
  if (containsLiteral(expression)) return [describeLiteral(name)];
  const variables = new Map(findNodes(scope, TerraformVariable).map((node) => [`var.${toName(node)}`, node]));
  const references = listReferences(expression);
  const used = references.flatMap((reference) => variables.get(reference) ?? []);
  const preset = used.find(({ default: value }) => typeof value === "string" && value !== "");
  if (preset && expression === `\${var.${toName(preset)}}`)
    return [
      `${name} comes from the variable ${toName(preset)}, whose default would put the secret into git and cdk.tf.json. Remove the default, and set TF_VAR_${toName(preset)}.`,
    ];
  // Terraform prints no value that depends on a sensitive one, and other references may be sensitive.
  if (used.length < references.length || used.some(({ sensitive }) => sensitive)) return [];
  return used.map(
    (variable) =>
      `${name} comes from the variable ${toName(variable)}, which is not sensitive, so Terraform would print it. Set \`sensitive: true\` on the variable.`,
  );
}

function describeLiteral(name: string): string {
  return `${name} must not be a literal, because a literal would put the secret into git and cdk.tf.json. Take the value from \`new TerraformVariable(stack, …, { sensitive: true }).stringValue\`, or from an ephemeral resource.`;
}

/** Returns the expression of the local value that the expression refers to, if it contains nothing else. */
function followLocals(scope: Construct, expression: string): string {
  const locals = new Map(
    findNodes(scope, TerraformLocal).map((local) => [`\${local.${toName(local)}}`, local]),
  );
  let current = expression;
  for (let local = locals.get(current); local; local = locals.get(current)) {
    // Local values may form a cycle, which Terraform reports.
    locals.delete(current);
    const { locals: values } = local.toTerraform();
    current = resolve(scope, values[toName(local)]);
  }
  return current;
}

function resolve(scope: Construct, value: unknown): string {
  const resolver = new DefaultTokenResolver(new StringConcat());
  return String(Tokenization.resolve(value, { scope, resolver, preparing: false }));
}

/** Finds the stack's variables or local values. */
function findNodes<Node extends Construct>(scope: Construct, type: new (...args: never[]) => Node): Node[] {
  return TerraformStack.of(scope)
    .node.findAll()
    .filter((node): node is Node => node instanceof type);
}

const toName = ({ friendlyUniqueId }: TerraformElement) => friendlyUniqueId;
