import { type Listening, serve } from "../listening.js";

/** Starts an HTTP proxy that lists S3 objects in reverse order, two per page, as a directory bucket may. */
export function startUnorderedProxy(target: number): Promise<Listening> {
  return serve(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const asked = new URL(url, `http://127.0.0.1:${target}`);
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    const sent = Object.entries(headers).filter(
      ([name]) => !/^(connection|expect|host|content-length)$/.test(name),
    );
    const isList = asked.searchParams.has("list-type");
    const from = Number(asked.searchParams.get("continuation-token"));
    asked.searchParams.delete("continuation-token");
    const answer = await fetch(asked, {
      method,
      headers: sent as [string, string][],
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    });
    const text = await answer.text();
    const all = isList ? (text.match(/<Contents>.*?<\/Contents>/gs) ?? []).reverse() : [];
    const page = all.slice(from, from + 2);
    const next = from + 2 < all.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : "";
    const listed = text
      .replaceAll(/<Contents>.*?<\/Contents>/gs, "")
      .replace("</ListBucketResult>", `${page.join("")}${next}</ListBucketResult>`);
    const kept = [...answer.headers].filter(
      ([name]) => !/^(connection|content-length|transfer-encoding|content-encoding)$/.test(name),
    );
    response.writeHead(answer.status, kept.flat());
    response.end(isList ? listed : text);
  });
}
