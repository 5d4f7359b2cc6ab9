import type { Listener } from "./listener.js";

/*
 * How Terraform and a plugin find each other: Terraform starts the plugin with a few words in its environment, the plugin
 * prints one line that says where it listens and, if Terraform brought a certificate, which certificate it has itself. From
 * then on each takes only the other for an answer. Nothing else may be printed before that line.
 */

/** Whether Terraform has started this process. */
export function isPlugin(environment: Readonly<Record<string, string | undefined>>): boolean {
  return environment.TF_PLUGIN_MAGIC_COOKIE === magicCookie;
}

/** Version of the handshake, of the protocol, where, how, and the certificate. */
export function handshakeLine(
  { network, address }: Pick<Listener, "network" | "address">,
  certificate: Buffer | undefined,
): string {
  const parts = ["1", "6", network, address, "grpc"];
  // Go reads base64 without padding here, and refuses padding: two certificates in three would have some.
  if (certificate) parts.push(certificate.toString("base64").replaceAll("=", ""));
  return `${parts.join("|")}\n`;
}

const magicCookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/** For whoever starts it. */
export const notACommand = `This is a Terraform provider. Terraform and OpenTofu start it; it does nothing when you run it yourself.

To use it, name it in the configuration and run \`terraform init\`.
`;
