// Generated from the kinds' descriptors by `npm run generate`: edit those.
import { Construct } from "constructs";
import { literal } from "../literal.js";
import { requireSecretToken } from "../require-secret-token.js";
import * as bindings from "./bindings/secret/index.js";
import type { ISecret } from "./reference.js";

/** Arguments of the construct {@link Secret}. Strings are sent unchanged. */
export interface SecretProps extends Omit<bindings.SecretConfig, "secretValueWo" | "secretValueWoVersion"> {
  /**
   * The key itself, from a sensitive variable (`variable.stringValue`) or an ephemeral resource. It is sent,
   * but never stored in a plan or state. A literal is rejected.
   */
  readonly secretValue: string;
  /** If set, the value is sent again only when this changes. Use it for values that differ in every run. */
  readonly secretValueVersion?: bindings.SecretConfig["secretValueWoVersion"];
}

/**
 * A key for a language-model or speech provider, stored encrypted by the service. A change creates a new one;
 * for the old one, see `onRotation` and `resource.supersededIds`. Destroying it forgets it, unless
 * `onRemoval` is `delete`.
 */
export class Secret extends Construct implements ISecret {
  /** The Terraform resource, with every attribute, `importFrom` and `addOverride`. */
  readonly resource: bindings.Secret;

  /** @throws Error if a secret is a literal. */
  constructor(scope: Construct, id: string, { secretValue, secretValueVersion, ...props }: SecretProps) {
    super(scope, id);
    this.resource = new bindings.Secret(this, "Resource", {
      ...literal(props),
      secretValueWo: requireSecretToken(this, "secretValue", secretValue),
      ...(secretValueVersion === undefined ? {} : { secretValueWoVersion: secretValueVersion }),
    });
  }

  get id(): string {
    return this.resource.id;
  }

  /** Terraform address, for `dependsOn` in other constructs. */
  get fqn(): string {
    return this.resource.fqn;
  }
}
