import {
  DefaultTokenResolver,
  StringConcat,
  TerraformStack,
  TerraformVariable,
  Token,
  Tokenization,
} from "cdktn";
import type { Construct } from "constructs";

/**
 * Rejects a literal secret immediately, before it can reach `cdk.tf.json`. During synthesis, rejects a variable that is
 * not sensitive, because Terraform would print its value.
 */
export function requireSecretToken(scope: Construct, name: string, value: string): string {
  if (!Token.isUnresolved(value)) throw new Error(`${scope.node.path}: ${describeLiteral(name)}`);
  scope.node.addValidation({ validate: () => findProblems(scope, name, value) });
  return value;
}

function findProblems(scope: Construct, name: string, value: string): string[] {
  const resolver = new DefaultTokenResolver(new StringConcat());
  const expression = String(Tokenization.resolve(value, { scope, resolver, preparing: false }));
  // A token may resolve to a literal.
  if (!expression.includes("${")) return [describeLiteral(name)];
  return findPlainVariables(scope, expression).map(
    (variable) =>
      `${name} comes from the variable ${variable}, which is not sensitive, so Terraform would print it. Set \`sensitive: true\` on the variable.`,
  );
}

function describeLiteral(name: string): string {
  return `${name} must not be a literal, because a literal would put the secret into git and cdk.tf.json. Take the value from \`new TerraformVariable(stack, …, { sensitive: true }).stringValue\`, or from an ephemeral resource.`;
}

function findPlainVariables(scope: Construct, expression: string): string[] {
  const named = [...expression.matchAll(/\bvar\.([\w-]+)/g)].map(([, variable]) => variable);
  return TerraformStack.of(scope)
    .node.findAll()
    .filter((node) => node instanceof TerraformVariable)
    .filter(({ friendlyUniqueId, sensitive }) => named.includes(friendlyUniqueId) && !sensitive)
    .map(({ friendlyUniqueId }) => friendlyUniqueId);
}
