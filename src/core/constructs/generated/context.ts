// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { Construct } from "constructs";
import { DeclaredConstruct } from "../declared.js";
import type { Text } from "../sources.js";

/** Properties of a Context. */
export interface ContextProps {
  /** Name that identifies the object. */
  readonly name: Text;
  /**
   * Prompt. A placeholder such as `${name}` is sent to the service unchanged. Keep it out of template
   * literals.
   */
  readonly prompt: Text;
  /** Text that the avatar says first. Default: not managed. */
  readonly openingText?: Text | undefined;
  /** Reference pages that the avatar can mention, in order. Default: not managed. */
  readonly links?: readonly LinkProps[] | undefined;
  /**
   * Neither delete nor forget the object when its declaration is removed. Recorded in the state, so it stays
   * in effect until a declaration without `protect` is applied. Default: false.
   */
  readonly protect?: boolean | undefined;
  /**
   * Names of fields that are managed elsewhere, such as in the dashboard. They are set when the object is
   * created, then neither compared nor changed. Default: none.
   */
  readonly ignoreChanges?: readonly ("name" | "prompt" | "openingText" | "links")[] | undefined;
  /**
   * Whether to forget or delete the object when it is removed from the files: `forget` (the default) keeps it
   * in the account, and `delete` deletes it. Recorded in the state by an apply. Default: the project's
   * setting.
   */
  readonly onRemoval?: "forget" | "delete" | undefined;
}

/** An entry of `links`. */
export interface LinkProps {
  /** Page URL. */
  readonly url: Text;
  /** Questions that the page answers. Default: "". */
  readonly faq?: Text | undefined;
}

/** Prompt, opening text and links for the avatar in a conversation. */
export class Context extends DeclaredConstruct {
  /** Distinguishes this construct from constructs of other kinds. */
  readonly kind = "context";

  constructor(scope: Construct, id: string, props: ContextProps) {
    super("contexts", scope, id, props);
  }
}
