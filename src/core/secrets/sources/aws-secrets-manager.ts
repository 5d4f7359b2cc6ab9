import { withPackage } from "../../../base/optional-packages/index.js";
import { askAws, awsService, malformed, regionIn } from "../aws/service.js";
import { jsonField, splitAtField } from "../json-field.js";
import type { SourceContext, SourceKind } from "../source-kind.js";

/** Fields of `!aws-secrets-manager`. */
export interface AwsSecretsManagerFields {
  readonly id: string;
  readonly field?: string;
  readonly versionStage?: string;
  readonly versionId?: string;
  readonly region?: string;
}

const title = "AWS Secrets Manager";
const sdkPackage = "@aws-sdk/client-secrets-manager";
const current = "AWSCURRENT";

/**
 * A secret of AWS Secrets Manager, whole or a field of its JSON. Credentials and endpoint come from where the official
 * SDK takes them.
 */
export const awsSecretsManager: SourceKind<AwsSecretsManagerFields> = {
  name: "aws-secrets-manager",
  title,
  fields: {
    id: { type: "string", required: true, description: "Name or ARN of the secret." },
    field: {
      type: "string",
      description: "The field, where the value is a JSON object. Default: the whole value.",
    },
    versionStage: { type: "string", description: `Staging label of the version. Default: ${current}.` },
    versionId: { type: "string", description: "Id of a version that is always used." },
    region: {
      type: "string",
      pattern: /^[a-z0-9-]+$/,
      description: "Default: the ARN's, else AWS_REGION, else the profile's.",
    },
  },
  shorthand: {
    example: "!aws-secrets-manager llm/production#api_key",
    meaning: "the name or ARN of a secret, and # with a field of its JSON",
    read(written) {
      const { name: id, ...rest } = (typeof written === "string" && splitAtField(written)) || {};
      return id === undefined ? undefined : { id, ...rest };
    },
  },
  check({ id, region, versionId, versionStage }) {
    if (versionId !== undefined && versionStage !== undefined)
      return "has a version_id and a version_stage. Write one of them.";
    const its = regionIn(id);
    return region !== undefined && its !== undefined && region !== its
      ? `names the region ${region}, and its ARN ${its}. Remove one of them.`
      : undefined;
  },
  describe: ({ id, field }) => `${title} secret ${id}${field === undefined ? "" : `, field ${field}`}`,
  packages: [sdkPackage],
  rights: {
    value: "`secretsmanager:GetSecretValue` on the secret, and `kms:Decrypt` on its key if that is your own",
    version: "`secretsmanager:DescribeSecret` on the secret",
  },
  async read(fields, context) {
    const { sdk, client, region } = await open(fields, context);
    const { id, field, versionId, versionStage = current } = fields;
    const response = await askAws(
      "secretsmanager:GetSecretValue on it, or kms:Decrypt on its KMS key",
      region,
      context,
      (options) =>
        client.send(
          new sdk.GetSecretValueCommand({
            SecretId: id,
            ...(versionId === undefined ? { VersionStage: versionStage } : { VersionId: versionId }),
          }),
          options,
        ),
    );
    const { SecretString, SecretBinary, VersionId } = response;
    const value: unknown = SecretString ?? SecretBinary;
    if (!(typeof value === "string" || value instanceof Uint8Array)) throw malformed(context);
    return {
      value: field === undefined ? value : jsonField(value, field, context),
      version: textIn(VersionId, context),
    };
  },
  async version(fields, context) {
    const { id, versionId, versionStage = current } = fields;
    if (versionId !== undefined) return versionId;
    const { sdk, client, region } = await open(fields, context);
    const { VersionIdsToStages, DeletedDate } = await askAws(
      "secretsmanager:DescribeSecret on it",
      region,
      context,
      (options) => client.send(new sdk.DescribeSecretCommand({ SecretId: id }), options),
    );
    // Its versions are still there, without their labels.
    if (DeletedDate !== undefined)
      throw context.error(
        "not-found",
        "is scheduled for deletion. Restore it (`aws secretsmanager restore-secret`), or name another.",
      );
    if (typeof VersionIdsToStages !== "object") throw malformed(context);
    const found = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes(versionStage));
    if (found) return textIn(found[0], context);
    throw context.error(
      "not-found",
      `has no version with the staging label ${versionStage}. Put a value in it, or correct version_stage.`,
    );
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

function textIn(version: unknown, context: SourceContext): string {
  if (typeof version === "string") return version;
  throw malformed(context);
}
