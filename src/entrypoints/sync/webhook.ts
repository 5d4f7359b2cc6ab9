import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { parseJson, toMapping } from "../../base/text/index.js";

/** How a webhook was answered; also the values of a metric's label. */
export const webhookResults = ["accepted", "ignored", "unauthorized", "malformed", "too-large"] as const;

export type WebhookResult = (typeof webhookResults)[number];

/** A delivery to the webhook. */
export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Decides about a delivery; `accepted` only for a push to the branch from somebody who knows the secret. */
export function judgeWebhook(delivery: Delivery, secret: string, branch: string): WebhookResult {
  if (!isAuthentic(delivery, secret)) return "unauthorized";
  if (!isPush(delivery.headers)) return "ignored";
  const ref = readRef(delivery.body);
  if (ref === undefined) return "malformed";
  return ref === `refs/heads/${branch}` ? "accepted" : "ignored";
}

/** GitHub, Gitea and Forgejo send the HMAC-SHA-256 of the body, GitLab the secret itself. */
function isAuthentic({ headers, body }: Delivery, secret: string): boolean {
  const { "x-hub-signature-256": signature, "x-gitlab-token": token } = headers;
  const expected = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  return (
    (typeof signature === "string" && isEqual(signature, expected)) ||
    (typeof token === "string" && isEqual(token, secret))
  );
}

/** In a time that reveals nothing of the texts: of digests, because their lengths are equal. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** `push`, by which name Gitea and Forgejo call it as well, and GitLab's `Push Hook`; not `ping`, a tag or a merge request. */
function isPush({ "x-github-event": event, "x-gitlab-event": ofGitLab }: IncomingHttpHeaders): boolean {
  return event === "push" || ofGitLab === "Push Hook";
}

function readRef(body: Buffer): string | undefined {
  const { ref } = toMapping(parseJson(body.toString("utf8")));
  return typeof ref === "string" ? ref : undefined;
}
