import { createUnexpectedAwsResponseError, toAwsProblem } from "../aws/errors.js";
import { openSecretsManager, sdkPackage, title } from "../aws/service.js";
import { jsonFieldSetting, readJsonField } from "../json-field.js";
import { SourceProblem } from "../source-error.js";
import type { FieldsIn, SourceContext, SourceFields, SourceKind } from "../source-kind.js";

const current = "AWSCURRENT";

const fields = {
  id: { type: "string", required: true, description: "Secret name or ARN." },
  field: jsonFieldSetting,
  region: {
    type: "string",
    pattern: /^[a-z0-9-]+$/,
    description: "AWS region. Default: the ARN's, then AWS_REGION, then the profile's.",
  },
} as const satisfies SourceFields;

/** Fields of `!aws-secrets-manager`. */
export type AwsSecretsManagerFields = FieldsIn<typeof fields>;

/** A secret in AWS Secrets Manager, or a field of its JSON. The official SDK finds the credentials and the endpoint. */
export const awsSecretsManager: SourceKind<AwsSecretsManagerFields> = {
  name: "aws-secrets-manager",
  title,
  fields,
  shorthand: {
    example: "!aws-secrets-manager llm/production#api_key",
    meaning: "the name or ARN of a secret, and optionally # and a field of its JSON",
    read(written) {
      const [, id, field] = (typeof written === "string" && /^([^#]+)(?:#(.+))?$/.exec(written)) || [];
      return id === undefined ? undefined : { id, field };
    },
  },
  describe: ({ id, field }) => `${title} secret ${id}${field === undefined ? "" : `, field ${field}`}`,
  packages: [sdkPackage],
  rights: {
    value: "`secretsmanager:GetSecretValue` on the secret, and `kms:Decrypt` on its key if you use your own",
    version: "`secretsmanager:DescribeSecret` on the secret",
  },
  async read(fields, context) {
    const { sdk, client, region } = await open(fields, context);
    const { id, field } = fields;
    const action = "secretsmanager:GetSecretValue on the secret, or kms:Decrypt on its KMS key";
    const command = new sdk.GetSecretValueCommand({ SecretId: id });
    const response = await client.send(command, { abortSignal: context.signal }).catch((error: unknown) => {
      throw toAwsProblem(error, { action, region });
    });
    const { SecretString, SecretBinary, VersionId } = response;
    const value: unknown = SecretString ?? SecretBinary;
    if (!(typeof value === "string" || value instanceof Uint8Array)) throw createUnexpectedAwsResponseError();
    return {
      value: field === undefined ? value : readJsonField(value, field),
      version: requireText(VersionId),
    };
  },
  async version(fields, context) {
    const { sdk, client, region } = await open(fields, context);
    const action = "secretsmanager:DescribeSecret on the secret";
    const command = new sdk.DescribeSecretCommand({ SecretId: fields.id });
    const response = await client.send(command, { abortSignal: context.signal }).catch((error: unknown) => {
      throw toAwsProblem(error, { action, region });
    });
    const { VersionIdsToStages, DeletedDate } = response;
    // The versions of a deleted secret still exist, without their labels.
    if (DeletedDate !== undefined)
      throw new SourceProblem(
        "not-found",
        "is scheduled for deletion. Restore it (`aws secretsmanager restore-secret`), or use another secret.",
      );
    if (typeof VersionIdsToStages !== "object") throw createUnexpectedAwsResponseError();
    const found = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes(current));
    if (found) return requireText(found[0]);
    throw new SourceProblem("not-found", "has no value yet. Add a value.");
  },
};

function open({ id, region }: AwsSecretsManagerFields, context: SourceContext) {
  const regionInArn = /^arn:[^:]*:[^:]*:([a-z0-9-]+):/.exec(id)?.[1];
  return openSecretsManager(region ?? regionInArn, context);
}

function requireText(version: unknown): string {
  if (typeof version === "string") return version;
  throw createUnexpectedAwsResponseError();
}
