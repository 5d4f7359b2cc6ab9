import { withPackage } from "../../../base/optional-packages/index.js";
import { notAws } from "../aws/errors.js";
import { askAws, awsService, regionField, regionIn } from "../aws/service.js";
import { jsonField, jsonFieldSetting, splitAtField } from "../json-field.js";
import { notFound } from "../source-error.js";
import type { FieldsIn, SourceContext, SourceFields, SourceKind } from "../source-kind.js";

const title = "AWS Secrets Manager";
const sdkPackage = "@aws-sdk/client-secrets-manager";
const current = "AWSCURRENT";

const fields = {
  id: { type: "string", required: true, description: "Name or ARN of the secret." },
  field: jsonFieldSetting,
  region: regionField,
} as const satisfies SourceFields;

/** Fields of `!aws-secrets-manager`. */
export type AwsSecretsManagerFields = FieldsIn<typeof fields>;

/**
 * A secret of AWS Secrets Manager, whole or a field of its JSON. Credentials and endpoint come from where the official
 * SDK takes them.
 */
export const awsSecretsManager: SourceKind<AwsSecretsManagerFields> = {
  name: "aws-secrets-manager",
  title,
  fields,
  shorthand: {
    example: "!aws-secrets-manager llm/production#api_key",
    meaning: "the name or ARN of a secret, and # with a field of its JSON",
    read: (written) => splitAtField(written, "id"),
  },
  describe: ({ id, field }) => `${title} secret ${id}${field === undefined ? "" : `, field ${field}`}`,
  packages: [sdkPackage],
  rights: {
    value: "`secretsmanager:GetSecretValue` on the secret, and `kms:Decrypt` on its key if that is your own",
    version: "`secretsmanager:DescribeSecret` on the secret",
  },
  async read(fields, context) {
    const { sdk, client, region } = await open(fields, context);
    const { id, field } = fields;
    const response = await askAws(
      "secretsmanager:GetSecretValue on it, or kms:Decrypt on its KMS key",
      region,
      context,
      (options) => client.send(new sdk.GetSecretValueCommand({ SecretId: id }), options),
    );
    const { SecretString, SecretBinary, VersionId } = response;
    const value: unknown = SecretString ?? SecretBinary;
    if (!(typeof value === "string" || value instanceof Uint8Array)) throw notAws();
    return {
      value: field === undefined ? value : jsonField(value, field),
      version: textIn(VersionId),
    };
  },
  async version(fields, context) {
    const { sdk, client, region } = await open(fields, context);
    const { VersionIdsToStages, DeletedDate } = await askAws(
      "secretsmanager:DescribeSecret on it",
      region,
      context,
      (options) => client.send(new sdk.DescribeSecretCommand({ SecretId: fields.id }), options),
    );
    // Its versions are still there, without their labels.
    if (DeletedDate !== undefined)
      throw notFound(
        "is scheduled for deletion. Restore it (`aws secretsmanager restore-secret`), or name another.",
      );
    if (typeof VersionIdsToStages !== "object") throw notAws();
    const found = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes(current));
    if (found) return textIn(found[0]);
    throw notFound("has no value yet. Put one in it.");
  },
};

function open({ id, region }: AwsSecretsManagerFields, context: SourceContext) {
  return awsService(
    region ?? regionIn(id),
    context,
    () => withPackage(sdkPackage, title, () => import("@aws-sdk/client-secrets-manager")),
    (sdk, settings) => new sdk.SecretsManagerClient(settings),
  );
}

function textIn(version: unknown): string {
  if (typeof version === "string") return version;
  throw notAws();
}
