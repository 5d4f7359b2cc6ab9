import { HttpError } from "../../../base/http/index.js";
import { propertyIn, toConnectionProblem } from "../json-api.js";
import { failed, malformed, notFound, refused, SourceProblem, unreachable } from "../source-error.js";

export interface AwsRequest {
  /** What the credentials need, e.g. `secretsmanager:GetSecretValue`. */
  readonly action: string;
  readonly region: string;
}

const advice = "Check the network, the region, the proxy, and AWS_ENDPOINT_URL if it is set.";

/** The error for a response without what such a response has. */
export const notAws = () => malformed(`cannot be read: the response is not from AWS. ${advice}`);

/** What the service or the SDK calls errors of a login. */
const loginErrors =
  /^(AccessDenied|InvalidIdentityToken|IDPRejectedClaim|(Credentials|Token)ProviderError|(ExpiredToken|Unauthorized|UnrecognizedClient|InvalidSignature|MissingAuthenticationToken|RequestExpired|InvalidClientTokenId)(Exception)?|SignatureDoesNotMatch|IncompleteSignature)$/;

/**
 * What an error of the SDK means. Its message is not shown, because it may be a part of the response; and of names only
 * those that are known.
 */
export function toAwsProblem(error: unknown, { action, region }: AwsRequest): SourceProblem {
  if (error instanceof SourceProblem) return error;
  const metadata = propertyIn(error, "$metadata");
  const status =
    propertyIn(metadata, "httpStatusCode") ?? propertyIn(propertyIn(error, "$response"), "statusCode");
  const name = error instanceof Error ? error.name : "";
  // The SDK has learnt the server's time from the response: the next attempt is signed with it.
  if (propertyIn(metadata, "clockSkewCorrected") === true)
    return unreachable("cannot be read: this machine's clock is wrong. Set it.");
  if (Number(status) >= 500 || status === 408 || status === 429 || /^Throttling|^TooManyRequests/.test(name))
    return unreachable("cannot be read: AWS does not answer now, or reports too many requests.");
  if (loginErrors.test(name))
    return refused(
      `cannot be read: there are no AWS credentials, or AWS does not accept them in this region, or they have expired (${name}). Sign in again (\`aws sso login\`), set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or let the CI job assume its role, whose trust policy names the repository.`,
    );
  if (name === "ResourceNotFoundException")
    return notFound(
      `does not exist in ${region}, or has no such version. Create it, or correct its name, its version or the region.`,
    );
  // A gateway or a firewall answers in its own words.
  if (
    /^(AccessDeniedException|DecryptionFailure|InvalidKeyId)$/.test(name) ||
    [401, 403].includes(Number(status))
  )
    return refused(
      `is refused: the credentials lack ${action}. Allow it in the IAM policy of the role or user.`,
    );
  if (error instanceof HttpError) return toConnectionProblem(error, { title: "AWS", advice });
  if (error instanceof SyntaxError) return notAws();
  if (Number(status) >= 400)
    return failed(
      `cannot be read: AWS responds with status ${status}. Check how the name, the version and the region are written, and that it is not scheduled for deletion.`,
    );
  return status === undefined ? unreachable(`cannot be read: AWS cannot be reached. ${advice}`) : notAws();
}
