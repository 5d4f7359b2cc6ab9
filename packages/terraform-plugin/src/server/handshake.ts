import type { Listener } from "./listener.js";

/*
 * How Terraform and a plugin find each other: Terraform starts the plugin with some environment variables, and the plugin
 * prints one line with the address where it listens and, if Terraform sent a certificate, with its own certificate. From
 * then on, each accepts only the other. Nothing else may be printed before that line.
 */

/** Returns whether Terraform started this process. */
export function isPlugin(environment: Readonly<Record<string, string | undefined>>): boolean {
  return environment.TF_PLUGIN_MAGIC_COOKIE === magicCookie;
}

/** Formats the line: version of the handshake, version of the protocol, address, transport, and certificate. */
export function formatHandshake(
  { network, address }: Pick<Listener, "network" | "address">,
  certificate: Buffer | undefined,
): string {
  const parts = ["1", "6", network, address, "grpc"];
  // Go expects base64 without padding here; two of three certificates would have some.
  if (certificate) parts.push(certificate.toString("base64").replaceAll("=", ""));
  return `${parts.join("|")}\n`;
}

const magicCookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/** Message for users who start the program directly. */
export const notACommand = `This is a Terraform provider. Terraform and OpenTofu start it; it does nothing when you run it yourself.

To use it, name it in the configuration and run \`terraform init\`.
`;
