import {
  CreateSecretCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { PutParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { s3Credentials } from "../../stores/s3-servers.js";
import { canary, type StartedSource, written } from "../sources/compliance.js";
import type { Answer, AwsFront } from "./front.js";

/** One of the two services, as the suite of all sources asks for it. */
interface Service {
  readonly kind: string;
  /** The operations that read a value and ask for a version. */
  readonly read: string;
  readonly describe: string;
  /** The field that names the secret. */
  readonly named: string;
  /** What AWS responds with status for a secret that does not exist, and to the question for its version if that is no error. */
  readonly missing: string;
  readonly unlisted?: object;
  readonly answerWith: (value: string) => object;
  readonly put: (name: string, value: string) => Promise<unknown>;
}

export function secretsManager(client: SecretsManagerClient): Service {
  return {
    kind: "aws-secrets-manager",
    read: "secretsmanager.GetSecretValue",
    describe: "secretsmanager.DescribeSecret",
    named: "id",
    missing: "ResourceNotFoundException",
    answerWith: (SecretString) => ({ SecretString, VersionId: "v" }),
    async put(name, SecretString) {
      await client
        .send(new PutSecretValueCommand({ SecretId: name, SecretString }))
        .catch(() => client.send(new CreateSecretCommand({ Name: name, SecretString })));
    },
  };
}

export function parameterStore(client: SSMClient): Service {
  return {
    kind: "aws-ssm",
    read: "AmazonSSM.GetParameter",
    describe: "AmazonSSM.DescribeParameters",
    named: "name",
    missing: "ParameterNotFound",
    unlisted: { Parameters: [] },
    answerWith: (Value) => ({ Parameter: { Name: "x", Value, Version: 1 } }),
    put: (Name, Value) =>
      client.send(new PutParameterCommand({ Name, Value, Type: "SecureString", Overwrite: true })),
  };
}

let places = 0;

/** A place of its own in the service, behind the front. */
export function startIn(
  { kind, read, describe, named, missing, unlisted, answerWith, put }: Service,
  front: AwsFront,
): StartedSource {
  const place = `/canaries/${++places}`;
  const before = { read: 0, describe: 0 };
  const count = (operation: string) => front.operations.filter((one) => one === operation).length;
  const reads = () => before.read + count(read);
  const asked = () => before.describe + count(describe);
  const disturb = (answerOf?: (operation: string, number: number) => Answer) => {
    Object.assign(before, { read: reads(), describe: asked() });
    front.disturb(answerOf);
  };
  const answering = (answer: Answer) => () =>
    disturb((operation) => (operation === read ? answer : undefined));
  /** Also the question for a version, which a plan asks. */
  const always =
    (answer: Answer, described = answer) =>
    () =>
      disturb((operation) => (operation === describe ? described : operation === read ? answer : undefined));
  const refusal = (type: string): Answer => ({
    status: 400,
    body: JSON.stringify({ __type: type, message: canary, Message: canary }),
  });
  const right = JSON.stringify(answerWith(canary));
  front.disturb();
  return {
    environment: { ...s3Credentials, AWS_ENDPOINT_URL: `http://127.0.0.1:${front.port}` },
    written: (name, timeoutSeconds) => written(kind, { [named]: `${place}/${name}`, timeoutSeconds }),
    async put(name, value) {
      await put(`${place}/${name}`, value);
    },
    reads,
    versions: {
      asked,
      refuseValues: answering(refusal("AccessDeniedException")),
      allowValues: () => disturb(),
      unseen: ["huge"],
    },
    failures: {
      unauthorized: answering(refusal("UnrecognizedClientException")),
      forbidden: answering(refusal("AccessDeniedException")),
      missing: always(refusal(missing), unlisted && { status: 200, body: JSON.stringify(unlisted) }),
      recovering: () => disturb((_, number) => (number < 2 ? { status: 500, body: canary } : undefined)),
      unavailable: answering({ status: 503, type: "text/html", body: `<html>${canary}</html>` }),
      redirecting: (_name, _project, elsewhere) =>
        always({ status: 307, headers: { location: elsewhere } })(),
      html: always({ status: 200, type: "text/html", body: `<html>${canary}</html>` }),
      cut: always({ status: 200, body: right.slice(0, -3) }),
      huge: answering({ status: 200, body: JSON.stringify(answerWith(canary.repeat(250_000))) }),
      slow: answering("none"),
      endless: answering("endless"),
      empty: (name) => put(`${place}/${name}`, " ").then(() => undefined),
    },
  };
}
