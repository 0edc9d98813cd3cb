import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** Serves POSTed JSON on a free port until the test ends. `answer` returns the status and the body, or nothing to hang. */
export async function serveJson(
  t: TestContext,
  answer: (body: unknown) => { status?: number; body: unknown } | undefined,
): Promise<string> {
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answered = answer(JSON.parse(Buffer.concat(chunks).toString()));
    if (answered === undefined) return;
    const text = typeof answered.body === 'string' ? answered.body : JSON.stringify(answered.body);
    response.writeHead(answered.status ?? 200, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // A server listening on a port has an AddressInfo.
}
