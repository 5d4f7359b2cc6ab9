import {
  DefaultTokenResolver,
  StringConcat,
  TerraformStack,
  TerraformVariable,
  Token,
  Tokenization,
} from "cdktf";
import type { Construct } from "constructs";

/**
 * A secret that Terraform looks up when it runs. One that is written out is refused at once, before it can reach
 * `cdk.tf.json`; a variable that is not sensitive, whose value Terraform would print, when the app is synthesised.
 *
 * @throws LiteralSecretError
 */
export function requireSecretToken(scope: Construct, name: string, value: string): string {
  if (!Token.isUnresolved(value)) throw new LiteralSecretError(scope.node.path, name);
  scope.node.addValidation({ validate: () => problemsOf(scope, name, value) });
  return value;
}

function problemsOf(scope: Construct, name: string, value: string): string[] {
  const expression = expressionOf(scope, value);
  // A token may hold a text, too.
  if (!expression.includes("${")) return [writtenOut(name)];
  return plainVariablesIn(scope, expression).map(printed(name));
}

function expressionOf(scope: Construct, value: string): string {
  const resolver = new DefaultTokenResolver(new StringConcat());
  return String(Tokenization.resolve(value, { scope, resolver, preparing: false }));
}

function writtenOut(name: string): string {
  return `${name} is written out, which would put a secret into git and into cdk.tf.json. Take it from \`new TerraformVariable(stack, …, { sensitive: true }).stringValue\`, or from an ephemeral resource.`;
}

function printed(name: string): (variable: string) => string {
  return (variable) =>
    `${name} comes from the variable ${variable}, whose value Terraform would print. Give it \`sensitive: true\`.`;
}

function plainVariablesIn(scope: Construct, expression: string): string[] {
  const named = [...expression.matchAll(/\bvar\.([\w-]+)/g)].map(([, variable]) => variable);
  return TerraformStack.of(scope)
    .node.findAll()
    .filter((node) => node instanceof TerraformVariable)
    .filter(({ friendlyUniqueId, sensitive }) => named.includes(friendlyUniqueId) && !sensitive)
    .map(({ friendlyUniqueId }) => friendlyUniqueId);
}

/** A secret stands in the code, from where it would reach git and `cdk.tf.json`. */
export class LiteralSecretError extends Error {
  /** Of the construct. */
  readonly path: string;

  constructor(path: string, name: string) {
    super(`${path}: ${writtenOut(name)}`);
    this.name = "LiteralSecretError";
    this.path = path;
  }
}
