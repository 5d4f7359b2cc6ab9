export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Question {
  readonly method: string;
  /** Below the mount. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An answer in the form of all of them. */
export const ok = (data: unknown, more: object = {}): Answer => ({
  status: 200,
  body: { request_id: "0", lease_id: "", renewable: false, lease_duration: 0, data, auth: null, ...more },
});
export const done: Answer = { status: 204, body: undefined };
export const refusal = (status: number, ...errors: string[]): Answer => ({ status, body: { errors } });
