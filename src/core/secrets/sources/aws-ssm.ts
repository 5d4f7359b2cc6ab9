import type { ParameterMetadata } from "@aws-sdk/client-ssm";
import { withPackage } from "../../../base/optional-packages/index.js";
import { notAws } from "../aws/errors.js";
import { askAws, awsService, regionField, regionIn } from "../aws/service.js";
import { jsonField, jsonFieldSetting, splitAtField } from "../json-field.js";
import { notFound } from "../source-error.js";
import type { FieldsIn, SourceContext, SourceFields, SourceKind } from "../source-kind.js";

const title = "AWS Systems Manager Parameter Store";
const sdkPackage = "@aws-sdk/client-ssm";

const fields = {
  name: {
    type: "string",
    required: true,
    description:
      "Name or ARN of the parameter; with `:3` a version of it, with `:production` the one with that label. Default: the latest version.",
  },
  field: jsonFieldSetting,
  region: regionField,
} as const satisfies SourceFields;

/** Fields of `!aws-ssm`. */
export type AwsSsmFields = FieldsIn<typeof fields>;

/**
 * A parameter of AWS Systems Manager, decrypted. Its version is asked with DescribeParameters: the right to
 * GetParameter would allow reading the value as well.
 */
export const awsSsm: SourceKind<AwsSsmFields> = {
  name: "aws-ssm",
  title,
  fields,
  shorthand: {
    example: "!aws-ssm /avatars/llm",
    meaning: "the name or ARN of a parameter, and # with a field of its JSON",
    read: (written) => splitAtField(written, "name"),
  },
  describe: ({ name, field }) => `SSM parameter ${name}${field === undefined ? "" : `, field ${field}`}`,
  packages: [sdkPackage],
  rights: {
    value: "`ssm:GetParameter` on the parameter, and `kms:Decrypt` on its key if that is your own",
    version: "`ssm:DescribeParameters` on `*`: AWS does not limit it to one parameter, and it shows no value",
  },
  async read(fields, context) {
    const { sdk, client, region } = await open(fields, context);
    const { Parameter } = await askAws(
      "ssm:GetParameter on it, or kms:Decrypt on its KMS key",
      region,
      context,
      (options) =>
        client.send(new sdk.GetParameterCommand({ Name: fields.name, WithDecryption: true }), options),
    );
    const value: unknown = Parameter?.Value;
    if (typeof value !== "string") throw notAws();
    return {
      value: fields.field === undefined ? value : jsonField(value, fields.field),
      version: isPlain(fields.name) ? versionIn(Parameter) : undefined,
    };
  },
  async version(fields, context) {
    const { name } = fields;
    if (!isPlain(name)) return undefined;
    const { sdk, client, region } = await open(fields, context);
    const filter = { Key: "Name", Option: "Equals", Values: [name] };
    for (let from: string | undefined, page = 0; page < maxPages; page++) {
      const response = await askAws("ssm:DescribeParameters on *", region, context, (options) =>
        client.send(
          new sdk.DescribeParametersCommand({ ParameterFilters: [filter], NextToken: from }),
          options,
        ),
      );
      if (!Array.isArray(response.Parameters)) throw notAws();
      const found = response.Parameters.find(({ Name }) => Name === name);
      if (found) return versionIn(found);
      // A page may be empty although another one follows.
      from = response.NextToken;
      if (from === undefined) break;
    }
    throw notFound(`does not exist in ${region}. Create it, or correct its name or the region.`);
  },
};

const maxPages = 10;

/**
 * Whether a name is that of a parameter, and nothing more: parameters of another account, which an ARN may name, are not
 * described, and which version has a label is only returned together with the value.
 */
function isPlain(name: string): boolean {
  return !name.includes(":");
}

/** With its date: a parameter that was deleted and made again begins with version 1 again. */
function versionIn({ Version: version, LastModifiedDate: date }: ParameterMetadata = {}): string {
  if (typeof version !== "number") throw notAws();
  return date instanceof Date ? `${version}/${date.toISOString().slice(0, 19)}Z` : String(version);
}

function open({ name, region }: AwsSsmFields, context: SourceContext) {
  return awsService(
    region ?? regionIn(name),
    context,
    () => withPackage(sdkPackage, title, () => import("@aws-sdk/client-ssm")),
    (sdk, settings) => new sdk.SSMClient(settings),
  );
}
