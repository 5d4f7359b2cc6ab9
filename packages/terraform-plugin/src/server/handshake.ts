import type { Listener } from "./listener.js";

/*
 * Plugin handshake. Terraform passes environment variables, and the plugin prints one line with its endpoint and, under
 * TLS, its certificate. Nothing may be printed before that line.
 */

/** Returns whether Terraform started this process. */
export function isPlugin(environment: Readonly<Record<string, string | undefined>>): boolean {
  return environment.TF_PLUGIN_MAGIC_COOKIE === magicCookie;
}

/** Formats the handshake line with handshake version, protocol version, endpoint, transport and certificate. */
export function formatHandshake(
  { network, address }: Pick<Listener, "network" | "address">,
  certificate: Buffer | undefined,
): string {
  const parts = ["1", "6", network, address, "grpc"];
  // Go expects base64 without padding here, and two of three certificates would have padding.
  if (certificate) parts.push(certificate.toString("base64").replaceAll("=", ""));
  return `${parts.join("|")}\n`;
}

const magicCookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/** Message for users who start the program directly. */
export const directExecutionMessage = `This is a Terraform provider. Terraform and OpenTofu start it, so do not run it directly.

To use the provider, add it to the configuration and run \`terraform init\`. To debug it, start it with --debug.
`;
