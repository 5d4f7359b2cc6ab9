// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { Construct } from "constructs";
import { type ConstructOf, DeclaredConstruct } from "../declared.js";
import type { Text } from "../sources.js";

/** Properties of an Avatar. */
export interface AvatarProps {
  /** Id of the object in the account, a UUID, or `stockAvatar("…")`. */
  readonly id: string;
  /** Name shown in the dashboard. Default: not managed. */
  readonly name?: Text | undefined;
  /** Default voice. Sessions can override it. Requires a profile. Default: not managed. */
  readonly defaultVoice?: ConstructOf<"voice"> | string | undefined;
  /**
   * Neither delete nor forget the object when its declaration is removed. Recorded in the state, so it stays
   * in effect until a declaration without `protect` is applied. Default: false.
   */
  readonly protect?: boolean | undefined;
  /**
   * Names of fields that are managed elsewhere, such as in the dashboard. They are set when the object is
   * created, then neither compared nor changed. Default: none.
   */
  readonly ignoreChanges?: readonly ("name" | "defaultVoice")[] | undefined;
}

/** A talking video avatar that exists in the account. Its name is managed. */
export class Avatar extends DeclaredConstruct {
  /** Distinguishes this construct from constructs of other kinds. */
  readonly kind = "avatar";

  constructor(scope: Construct, id: string, props: AvatarProps) {
    super("avatars", scope, id, props);
  }
}
