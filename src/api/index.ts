export { type BaseUrlCheck, checkBaseUrl } from "./address.js";
export type { Avatar, Avatars } from "./avatars.js";
export type { Context, ContextBody, ContextEntry, Contexts, Link } from "./contexts.js";
export {
  type ErrorDetail,
  ServiceError,
  type ServiceErrorCode,
  ShapeError,
  type WriteOutcome,
} from "./errors.js";
export type { RequestCount, RequestEvent } from "./observed.js";
export type { FirstPage, Listing, ListOptions } from "./pages.js";
export { proxyIn } from "./proxy.js";
export type { SecretBody, Secrets, StoredSecret } from "./secrets.js";
export { openService, readOnly, type Service, type ServiceOptions } from "./service.js";
export type { Session, Sessions, TokenAnswer, TokenBody } from "./sessions.js";
export type { Voice, Voices } from "./voices.js";
export type { ProxyOptions } from "./wire.js";
