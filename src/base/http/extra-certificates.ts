import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { toPlainLine } from "../text/index.js";

/** Problem with a file of certificates, and how to fix it. */
export interface CertificateProblem {
  /** Clause such as "the file /etc/ca.pem cannot be read". */
  readonly problem: string;
  readonly remedy: string;
}

/**
 * Explains why the file in `NODE_EXTRA_CA_CERTS` adds no certificate. Node ignores such a file, or at most prints a
 * warning on stderr.
 */
export function findCertificateProblem(file: string | undefined): CertificateProblem | undefined {
  if (!file) return undefined;
  const name = toPlainLine(file);
  let content: string;
  try {
    content = readFileSync(file, "latin1");
  } catch {
    return {
      problem: `the file ${name} cannot be read`,
      remedy: "Correct the path, or unset NODE_EXTRA_CA_CERTS.",
    };
  }
  if (startsWithCertificate(content)) return undefined;
  return {
    problem: `the file ${name} contains no readable certificate`,
    remedy: "Add the server's CA certificate to the file in PEM format, or unset NODE_EXTRA_CA_CERTS.",
  };
}

/** Returns whether the first PEM certificate is valid. Node stops reading at the first invalid one. */
function startsWithCertificate(content: string): boolean {
  const [first] =
    /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END [^-]*CERTIFICATE-----/.exec(content) ?? [];
  if (first === undefined) return false;
  try {
    return new X509Certificate(first).raw.length > 0;
  } catch {
    return false;
  }
}
