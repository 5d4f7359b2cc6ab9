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

/**
 * Headers with the HMAC-SHA-256 of the body: GitHub's (which Gitea, Forgejo and Bitbucket send too), and the ones of
 * Gitea, Forgejo and Gogs, without its prefix. GitLab sends the secret itself.
 */
const signatureHeaders = [
  "x-hub-signature-256",
  "x-gitea-signature",
  "x-forgejo-signature",
  "x-gogs-signature",
] as const;

function isAuthentic({ headers, body }: Delivery, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  const isSigned = signatureHeaders.some((name) => {
    const given = headers[name];
    return typeof given === "string" && isEqual(given.replace(/^sha256=/, ""), expected);
  });
  const token = headers["x-gitlab-token"];
  return isSigned || (typeof token === "string" && isEqual(token, secret));
}

/** In a time that reveals nothing of the texts: of digests, because their lengths are equal. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

const eventHeaders = ["x-github-event", "x-gitea-event", "x-forgejo-event", "x-gogs-event", "x-gitlab-event"];

/** `push`, and GitLab's `Push Hook`; not `ping`, a tag or a merge request. */
function isPush(headers: IncomingHttpHeaders): boolean {
  return eventHeaders.some((name) => /^push( hook)?$/i.test(String(headers[name] ?? "")));
}

function readRef(body: Buffer): string | undefined {
  const { ref } = toMapping(parseJson(body.toString("utf8")));
  return typeof ref === "string" ? ref : undefined;
}
