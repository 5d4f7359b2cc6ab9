/** Users of moto, which has policies checked: `credentials` are those of one who may do what is listed, and nothing else. */
export async function userWho(port: number, ...actions: string[]): Promise<Record<string, string>> {
  const name = `user-${actions.join("-").replace(/[^A-Za-z-]/g, "-")}`;
  await iam(port, { Action: "CreateUser", UserName: name });
  const statement = { Effect: "Allow", Action: actions, Resource: "*" };
  await iam(port, {
    ...{ Action: "PutUserPolicy", UserName: name, PolicyName: "only" },
    PolicyDocument: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }),
  });
  const key = await iam(port, { Action: "CreateAccessKey", UserName: name });
  const at = (element: string) => new RegExp(`<${element}>([^<]+)<`).exec(key)?.[1] ?? "";
  return { AWS_ACCESS_KEY_ID: at("AccessKeyId"), AWS_SECRET_ACCESS_KEY: at("SecretAccessKey") };
}

/** Whether moto checks signatures and policies from now on. It starts without. */
export async function checkPolicies(port: number, checks: boolean): Promise<void> {
  const headers = { "content-type": "text/plain" };
  const body = checks ? "0" : "Infinity";
  const { status } = await fetch(`http://127.0.0.1:${port}/moto-api/reset-auth`, {
    method: "POST",
    headers,
    body,
  });
  if (status !== 200) throw new Error(`moto answers ${status}.`);
}

async function iam(port: number, form: Record<string, string>): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: {
      authorization:
        "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=x",
    },
    body: new URLSearchParams({ ...form, Version: "2010-05-08" }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`moto answers ${answer.status}: ${text}`);
  return text;
}
