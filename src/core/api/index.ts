export { type BaseUrlCheck, checkBaseUrl } from "./address.js";
export {
  type ErrorDetail,
  ServiceError,
  type ServiceErrorCode,
  type WriteOutcome,
} from "./errors.js";
export type { RequestCount } from "./observed.js";
export { defaultTimeoutMs, type RequestEvent, type ServiceOptions } from "./options.js";
export type { FirstPage, ListDoubt, ListOptions, Page, PagedListing } from "./pages.js";
export type { Exchange } from "./request.js";
export type * from "./resources.js";
export { guardWrites, openService, restrictToReads, type Service, withDeadline } from "./service.js";
export { findKeyProblem } from "./wire.js";
