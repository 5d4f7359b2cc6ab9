import { HttpError } from "../../../base/http/index.js";
import { propertyIn, toConnectionProblem } from "../json-api.js";
import { failed, malformed, notFound, refused, type SourceProblem, unreachable } from "../source-error.js";

export interface AwsRequest {
  /** What the credentials need, e.g. `secretsmanager:GetSecretValue`. */
  readonly action: string;
  readonly region: string;
}

const advice = "Check the network, the region, the proxy, and AWS_ENDPOINT_URL if it is set.";

/** The error for a response without what such a response has. */
export const notAws = () => malformed(`cannot be read: the response is not from AWS. ${advice}`);

const noLogin = () =>
  refused(
    "cannot be read: there are no AWS credentials, or AWS does not accept them in this region, or they have expired. Sign in again (`aws sso login`), set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or let the CI job assume its role (OpenID Connect).",
  );
const noRole = () =>
  refused(
    "cannot be read: AWS does not let this job assume the role. Check AWS_ROLE_ARN, and the role's trust policy: its condition names the repository and the branch or environment.",
  );
const noKey = () =>
  refused("cannot be decrypted: the credentials lack kms:Decrypt on its KMS key, or the key is disabled.");
const denied = ({ action }: AwsRequest) =>
  refused(`is refused: the credentials lack ${action}. Allow it in the IAM policy of the role or user.`);
const missing = ({ region }: AwsRequest) =>
  notFound(
    `does not exist in ${region}, or has no such version. Create it, or correct its name, its version or the region.`,
  );
const unusable = () =>
  failed(
    "cannot be read: AWS says that its state does not allow it. It may be scheduled for deletion: `aws secretsmanager describe-secret` shows when.",
  );
const throttled = () => unreachable("cannot be read: AWS reports too many requests.");

/** By the name that the service or the SDK gives an error. */
const problems: readonly (readonly [names: RegExp, problem: (asked: AwsRequest) => SourceProblem])[] = [
  [/^AccessDeniedException$/, denied],
  [/^(AccessDenied|InvalidIdentityToken|IDPRejectedClaim)$/, noRole],
  [/^(CredentialsProvider|TokenProvider)Error$/, noLogin],
  [/^(ExpiredToken|Unauthorized|UnrecognizedClient|InvalidSignature)(Exception)?$/, noLogin],
  [/^(MissingAuthenticationToken|RequestExpired|InvalidClientTokenId)(Exception)?$/, noLogin],
  [/^(SignatureDoesNotMatch|IncompleteSignature)$/, noLogin],
  [/^(ResourceNotFoundException|Parameter(Version)?NotFound)$/, missing],
  [/^(DecryptionFailure|InvalidKeyId)$/, noKey],
  [/^InvalidRequestException$/, unusable],
  [/^(Throttling(Exception)?|TooManyRequestsException|RequestLimitExceeded)$/, throttled],
];

/**
 * What an error of the SDK means. Its message is not shown, because it may be a part of the response; and of names only
 * those that are known.
 */
export function toAwsProblem(error: unknown, asked: AwsRequest): SourceProblem {
  const { status, isClockCorrected } = readMetadata(error);
  if (status !== undefined && status >= 500)
    return unreachable(`cannot be read: AWS responds with status ${status}.`);
  // The SDK has learnt the server's time from the response: the next attempt is signed with it.
  if (isClockCorrected) return unreachable("cannot be read: this machine's clock is wrong. Set it.");
  const name = error instanceof Error ? error.name : "";
  const [, known] = problems.find(([names]) => names.test(name)) ?? [];
  if (known) return known(asked);
  // A gateway or a firewall answers in its own words.
  if (status === 401 || status === 403) return denied(asked);
  if (error instanceof HttpError) return toConnectionProblem(error, { title: "AWS", advice });
  if (error instanceof SyntaxError) return notAws();
  if (status === 408 || status === 429) return throttled();
  if (status !== undefined && status >= 400)
    return failed(
      `cannot be read: AWS responds with status ${status}. Check how the name, the version and the region are written.`,
    );
  return status === undefined ? unreachable(`cannot be read: AWS cannot be reached. ${advice}`) : notAws();
}

function readMetadata(error: unknown): { status?: number; isClockCorrected?: boolean } {
  const metadata = propertyIn(error, "$metadata");
  const status =
    propertyIn(metadata, "httpStatusCode") ?? propertyIn(propertyIn(error, "$response"), "statusCode");
  return {
    ...(typeof status === "number" ? { status } : {}),
    isClockCorrected: propertyIn(metadata, "clockSkewCorrected") === true,
  };
}
