// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { Construct } from "constructs";
import type { ValueSource } from "../../secrets/index.js";
import { DeclaredConstruct } from "../declared.js";
import type { Text } from "../sources.js";

/** Properties of a Secret. */
export interface SecretProps {
  /** Name, 1 to 255 characters. It does not have to be unique, because the id identifies the secret. */
  readonly secretName: Text;
  /** Type of provider that the key is for. Allow more types with `service.secretTypes`. */
  readonly secretType: "LLMPROVIDER_API_KEY" | "VOICEPROVIDER_API_KEY" | (string & {});
  /** The key itself, from a secret source such as `env`, `file` or `exec`. avatarops never stores it. */
  readonly secretValue: ValueSource;
  /**
   * Version of `secretValue`, a number or a string. If set, the value is sent again only when the version
   * changes. Use it for sources that return a new value on every read.
   */
  readonly secretValueVersion?: number | string | undefined;
  /**
   * Neither delete nor forget the object when its declaration is removed. Recorded in the state, so it stays
   * in effect until a declaration without `protect` is applied. Default: false.
   */
  readonly protect?: boolean | undefined;
  /**
   * Names of fields that are managed elsewhere, such as in the dashboard. They are set when the object is
   * created, then neither compared nor changed. Default: none.
   */
  readonly ignoreChanges?: readonly ("secretName" | "secretType")[] | undefined;
  /**
   * Whether to forget or delete the object when it is removed from the files: `forget` (the default) keeps it
   * in the account, and `delete` deletes it. Recorded in the state by an apply. Default: the project's
   * setting.
   */
  readonly onRemoval?: "forget" | "delete" | undefined;
  /**
   * Whether to keep or delete the old object when a new object is created for a new value: `keep_old` (the
   * default) keeps it in the account, and `delete_old` deletes it once no other object refers to it. Default:
   * keep_old.
   */
  readonly onRotation?: "keep_old" | "delete_old" | undefined;
}

/** A key for a language-model or speech provider, stored encrypted by the service. */
export class Secret extends DeclaredConstruct {
  /** Distinguishes this construct from constructs of other kinds. */
  readonly kind = "secret";

  constructor(scope: Construct, id: string, props: SecretProps) {
    super("secrets", scope, id, props);
  }
}
