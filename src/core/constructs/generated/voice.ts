// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { Construct } from "constructs";
import { DeclaredConstruct } from "../declared.js";
import type { Text } from "../sources.js";

/** Properties of a Voice. */
export interface VoiceProps {
  /** Id of the object in the account, a UUID, or `stockVoice("…")`. */
  readonly id: string;
  /** Name shown in the dashboard, 1 to 64 characters. Required without a profile. Default: not managed. */
  readonly name?: Text | undefined;
  /**
   * Neither delete nor forget the object when its declaration is removed. Recorded in the state, so it stays
   * in effect until a declaration without `protect` is applied. Default: false.
   */
  readonly protect?: boolean | undefined;
  /**
   * Names of fields that are managed elsewhere, such as in the dashboard. They are set when the object is
   * created, then neither compared nor changed. Default: none.
   */
  readonly ignoreChanges?: readonly "name"[] | undefined;
}

/** A voice that exists in the account. Its name is managed. */
export class Voice extends DeclaredConstruct {
  /** Distinguishes this construct from constructs of other kinds. */
  readonly kind = "voice";

  constructor(scope: Construct, id: string, props: VoiceProps) {
    super("voices", scope, id, props);
  }
}
