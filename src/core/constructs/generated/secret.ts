// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { Construct } from "constructs";
import type { ValueSource } from "../../secrets/index.js";
import { DeclaredConstruct } from "../declared.js";
import type { Text } from "../sources.js";

/** Properties of a Secret. */
export interface SecretProps {
  /** Name, 1 to 255 characters. Names need not be unique: the id is the handle. */
  readonly secretName: Text;
  /** Which provider's key it is. More are named in `service.secretTypes`. */
  readonly secretType: "LLMPROVIDER_API_KEY" | "VOICEPROVIDER_API_KEY" | (string & {});
  /** The key itself, from `env`, `file` or `exec`; never written out. */
  readonly secretValue: ValueSource;
  /**
   * Version of `secretValue`, a number or a text: where it is given, the value is sent anew when this
   * changes, and only then. For values that are new at every read.
   */
  readonly secretValueVersion?: number | string | undefined;
  /**
   * Neither delete nor forget the object when it is no longer declared. This is kept in the state, and holds
   * until a declaration without it is applied. Default: false.
   */
  readonly protect?: boolean | undefined;
}

/** The key of a language-model or speech provider, stored encrypted by the service. */
export class Secret extends DeclaredConstruct {
  /** Distinguishes it from constructs of other kinds. */
  readonly kind = "secret";

  constructor(scope: Construct, id: string, props: SecretProps) {
    super("secrets", scope, id, props);
  }
}
