import type { SourceErrorCode } from "../../source-error.js";

/**
 * Why Vault gave no value. Sources share a login, so that it is not known here whose error it will be. The message
 * continues "The Vault secret kv/llm, field api_key"; neither it nor any property contains a part of a response, a
 * token, or what a system said of them.
 */
export class VaultError extends Error {
  readonly code: SourceErrorCode;

  constructor(code: SourceErrorCode, problem: string) {
    super(problem);
    this.name = "VaultError";
    this.code = code;
  }
}
