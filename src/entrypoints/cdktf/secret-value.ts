import { Construct } from "constructs";
import { type ValueSource, writtenFields } from "../../core/secrets/index.js";
import * as bindings from "./generated/bindings/ephemeral-avatarops-secret-value/index.js";
import { literal } from "./literal.js";

/** Arguments of a {@link SecretValue}, except its source. */
export interface SecretValueProps
  extends Omit<bindings.EphemeralAvataropsSecretValueConfig, "from" | "fields"> {}

/**
 * A value from a source, such as `vault({ path: "kv/llm", field: "api_key" })`. It is an ephemeral resource: Terraform
 * reads it in every plan and every apply, and it is in no file of the app, no plan and no state. Paths begin at the
 * folder that terraform runs in, which is one of `cdktf.out`.
 */
export class SecretValue extends Construct {
  /** What Terraform sees, with every attribute and `addOverride`. */
  readonly resource: bindings.EphemeralAvataropsSecretValue;

  constructor(scope: Construct, id: string, source: ValueSource, props: SecretValueProps = {}) {
    super(scope, id);
    this.resource = new bindings.EphemeralAvataropsSecretValue(this, "Resource", {
      ...props,
      from: source.from,
      fields: literal(writtenFields(source)),
    });
  }

  get value(): string {
    return this.resource.value;
  }

  /** Its address in Terraform, for `dependsOn` of others. */
  get fqn(): string {
    return this.resource.fqn;
  }
}
