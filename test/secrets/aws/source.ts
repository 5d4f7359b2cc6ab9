import {
  CreateSecretCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { s3Credentials } from "../../stores/s3-servers.js";
import { formatSource, type StartedSource } from "../sources/compliance.js";
import { createFailures } from "../stand-ins/failures.js";
import type { AwsFront } from "./front.js";

/** Service properties that the shared source suite needs. */
interface Service {
  readonly kind: string;
  /** Operations that read a value and its version. */
  readonly read: string;
  readonly describe: string;
  /** Field that contains the secret's name. */
  readonly named: string;
  /** Error that the service returns for a missing secret. */
  readonly missing: string;
  readonly put: (name: string, value: string) => Promise<unknown>;
}

export function createSecretsManager(client: SecretsManagerClient): Service {
  return {
    kind: "aws-secrets-manager",
    read: "secretsmanager.GetSecretValue",
    describe: "secretsmanager.DescribeSecret",
    named: "id",
    missing: "ResourceNotFoundException",
    async put(name, SecretString) {
      await client
        .send(new PutSecretValueCommand({ SecretId: name, SecretString }))
        .catch(() => client.send(new CreateSecretCommand({ Name: name, SecretString })));
    },
  };
}

let prefixes = 0;

/** Starts an isolated account of the service behind the proxy. */
export function startIn(
  { kind, read, describe, named, missing, put }: Service,
  front: AwsFront,
): StartedSource {
  const prefix = `/canaries/${++prefixes}`;
  const count = (operation: string) => front.requests.filter((one) => one === operation).length;
  front.reset();
  return {
    environment: { ...s3Credentials, AWS_ENDPOINT_URL: front.url },
    written: (name, timeoutSeconds) => formatSource(kind, { [named]: `${prefix}/${name}`, timeoutSeconds }),
    async put(name, value) {
      await put(`${prefix}/${name}`, value);
    },
    reads: () => count(read),
    versions: {
      asked: () => count(describe),
      refuseValues: () => void Object.assign(front, { faulty: new RegExp(read), fault: { status: 403 } }),
      allowValues: () => void Object.assign(front, { fault: undefined }),
    },
    failures: {
      ...createFailures(front),
      missing() {
        front.fault = { status: 400, body: { __type: missing } };
      },
      async empty(name) {
        await put(`${prefix}/${name}`, " ");
      },
    },
  };
}
