import type { Listener } from "./listener.js";

type Environment = Readonly<Record<string, string | undefined>>;

/*
 * How Terraform and a plugin find each other: Terraform starts the plugin with a few words in its environment, the plugin
 * prints one line that says where it listens and, if Terraform brought a certificate, which certificate it has itself. From
 * then on each takes only the other for an answer. Nothing else may be printed before that line.
 */

/** What Terraform said in the environment. */
export interface HandshakeRequest {
  /** As PEM, of the one who may call; without it (TF_DISABLE_PLUGIN_TLS) everything is plain. */
  readonly clientCertificate: string | undefined;
}

/** Why there is nobody to talk to, and where to say so. */
export interface Declined {
  readonly declined: string;
  readonly to: "stdout" | "stderr";
}

export function readHandshakeRequest(environment: Environment): HandshakeRequest | Declined {
  if (environment.TF_PLUGIN_MAGIC_COOKIE !== magicCookie) return { declined: notACommand, to: "stderr" };
  const versions = environment.PLUGIN_PROTOCOL_VERSIONS;
  if (versions !== undefined && !versions.split(",").includes("6")) {
    // Terraform shows what it cannot take for a handshake, and does not show stderr.
    return { declined: tooOld, to: "stdout" };
  }
  return { clientCertificate: environment.PLUGIN_CLIENT_CERT || undefined };
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

const notACommand = `This is a Terraform provider. Terraform and OpenTofu start it; it does nothing when you run it yourself.

To use it, name it in the configuration and run \`terraform init\`.
`;

const tooOld = "this provider needs Terraform 1.0 or later, or OpenTofu (plugin protocol 6).\n";
