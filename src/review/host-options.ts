import type { ProxyOptions } from "../http/index.js";
import type { CodeHost, HostName } from "./host.js";

/** A token, and the environment variable that it came from, for messages. */
export interface Token {
  readonly variable: string;
  reveal(): string;
}

/** Which repository of which host, and how to reach it. */
export interface HostOptions {
  readonly name: HostName;
  /** Of the host's pages, without a slash at the end. */
  readonly webUrl: string;
  /** Of its API, likewise. */
  readonly apiUrl: string;
  readonly repository: string;
  readonly token: Token;
  /** The token is the one that Gitea Actions gave to the job. */
  readonly isJobToken?: boolean | undefined;
  /** Of GitLab: the pipeline that this job belongs to. */
  readonly pipelineId?: number | undefined;
  readonly userAgent: string;
  readonly proxy?: ProxyOptions | undefined;
  /** Stops waits and reads; a running write is finished. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly backoffMs?: number | undefined;
}

export type OpenHost = (options: HostOptions) => OpenedHost;

export interface OpenedHost {
  readonly host: CodeHost;
  close(): Promise<void>;
}
