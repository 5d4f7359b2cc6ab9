// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { Construct } from "constructs";
import type { ValueSource } from "../../secrets/index.js";
import { DeclaredConstruct } from "../declared.js";
import type { Text } from "../sources.js";

/** Properties of a Secret. */
export interface SecretProps {
  /** Name, 1 to 255 characters. It need not be unique: the id identifies the secret. */
  readonly secretName: Text;
  /** The kind of provider that the key is for. More are named in `service.secretTypes`. */
  readonly secretType: "LLMPROVIDER_API_KEY" | "VOICEPROVIDER_API_KEY" | (string & {});
  /** The key itself, from a source such as `env`, `file` or `exec`. It is never stored. */
  readonly secretValue: ValueSource;
  /**
   * Version of `secretValue`, a number or a text. If given, the value is sent again only when this changes.
   * For sources whose value is new at every read.
   */
  readonly secretValueVersion?: number | string | undefined;
  /**
   * Neither delete nor forget the object when it is no longer declared. Recorded in the state, and in force
   * until a declaration without it is applied. Default: false.
   */
  readonly protect?: boolean | undefined;
  /**
   * Names of fields that are left to others, such as the dashboard or a running system: created with the
   * value declared here, and neither compared nor changed afterwards. Default: none.
   */
  readonly ignoreChanges?: readonly ("secretName" | "secretType")[] | undefined;
  /**
   * What becomes of the object in the account when it is no longer declared: `forget`, the default, leaves it
   * there, and `delete` deletes it. Recorded in the state when it is applied. Default: as the project says.
   */
  readonly onRemoval?: "forget" | "delete" | undefined;
  /**
   * What becomes of the old object when a new value has made a new one: `keep_old`, the default, leaves it in
   * the account, and `delete_old` deletes it once nothing there refers to it. Default: keep_old.
   */
  readonly onRotation?: "keep_old" | "delete_old" | undefined;
}

/** The key of a language-model or speech provider, stored encrypted by the service. */
export class Secret extends DeclaredConstruct {
  /** Distinguishes it from constructs of other kinds. */
  readonly kind = "secret";

  constructor(scope: Construct, id: string, props: SecretProps) {
    super("secrets", scope, id, props);
  }
}
