import { HttpError } from "../../../base/http/index.js";
import { getProperty, toConnectionProblem } from "../json-api.js";
import { SourceProblem } from "../source-error.js";

export interface AwsRequest {
  /** Permission that the request needs, such as `secretsmanager:GetSecretValue`. */
  readonly action: string;
  readonly region: string;
}

const advice = "Check the network, the region, the proxy, and AWS_ENDPOINT_URL if it is set.";

/** Creates the error for a response that lacks AWS's fields. */
export const createUnexpectedAwsResponseError = () =>
  new SourceProblem("malformed", `cannot be read: the response is not from AWS. ${advice}`);

/** Names of login errors in the service and the SDK. */
const loginErrors =
  /^(AccessDenied|InvalidIdentityToken|IDPRejectedClaim|(Credentials|Token)ProviderError|(ExpiredToken|Unauthorized|UnrecognizedClient|InvalidSignature|MissingAuthenticationToken|RequestExpired|InvalidClientTokenId)(Exception)?|SignatureDoesNotMatch|IncompleteSignature)$/;

/**
 * Explains an SDK error. Shows only known names and no messages, because messages may contain the response.
 */
export function toAwsProblem(error: unknown, { action, region }: AwsRequest): SourceProblem {
  if (error instanceof SourceProblem) return error;
  const metadata = getProperty(error, "$metadata");
  const status =
    getProperty(metadata, "httpStatusCode") ?? getProperty(getProperty(error, "$response"), "statusCode");
  const name = error instanceof Error ? error.name : "";
  // The SDK corrected the clock skew for its next attempt, so this machine's clock is wrong.
  if (getProperty(metadata, "clockSkewCorrected") === true)
    return new SourceProblem("unreachable", "cannot be read: this machine's clock is wrong. Set it.");
  if (Number(status) >= 500 || status === 408 || status === 429 || /^Throttling|^TooManyRequests/.test(name))
    return new SourceProblem("unreachable", "cannot be read: AWS is unavailable or is limiting requests.");
  if (loginErrors.test(name))
    return new SourceProblem(
      "refused",
      `cannot be read: AWS credentials are missing, expired or not accepted in this region (${name}). Sign in again (\`aws sso login\`), or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. In CI, let the job assume a role whose trust policy names the repository.`,
    );
  if (name === "ResourceNotFoundException")
    return new SourceProblem(
      "not-found",
      `does not exist in ${region}, or has no such version. Create it, or correct its name, its version or the region.`,
    );
  // Gateways and firewalls send other error names.
  if (
    /^(AccessDeniedException|DecryptionFailure|InvalidKeyId)$/.test(name) ||
    [401, 403].includes(Number(status))
  )
    return new SourceProblem(
      "refused",
      `cannot be read: the credentials lack ${action}. Allow it in the IAM policy of the role or user.`,
    );
  if (error instanceof HttpError) return toConnectionProblem(error, { title: "AWS", advice });
  if (error instanceof SyntaxError) return createUnexpectedAwsResponseError();
  if (Number(status) >= 400)
    return new SourceProblem(
      "failed",
      `cannot be read: AWS responded with status ${status}. Check the name, the version and the region, and that the secret is not scheduled for deletion.`,
    );
  return status === undefined
    ? new SourceProblem("unreachable", `cannot be read: AWS cannot be reached. ${advice}`)
    : createUnexpectedAwsResponseError();
}
