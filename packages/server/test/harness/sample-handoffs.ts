import { inTurn } from './passkeys.ts';
import { signer } from './sample-logins.ts';
import type { Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

const accountId = `evm:1:${signer.address}`;
const base = '/latchkey/handoffs';

async function begin(server: TestServer): Promise<{ key: string; ticket: string }> {
  const { json } = await server.request('POST', base, { json: { purpose: 'sign-in' } });
  return { key: json.key, ticket: String(json.url).split('/').at(-1) ?? '' };
}

async function sign(server: TestServer, ticket: string) {
  const { json } = await server.request('POST', `${base}/message`, { json: { ticket, accountId } });
  const signature = await signer.signMessage({ message: json.message });
  return { ticket, accountId, state: String(json.state), signature };
}

async function prove(server: TestServer): Promise<{ key: string; code: string }> {
  const { key, ticket } = await begin(server);
  const { json } = await server.request('POST', `${base}/proof`, { json: await sign(server, ticket) });
  return { key, code: json.code };
}

/** Steps that were started in one browser, at each point where another one can continue them. */
export async function sampleHandoffs(server: TestServer, count: number): Promise<Samples> {
  const { key, ticket } = await begin(server);
  return {
    [`POST ${base} purpose`]: 'sign-in',
    [`POST ${base}/state key`]: key,
    [`POST ${base}/message ticket`]: ticket,
    [`POST ${base}/message accountId`]: accountId,
    [`POST ${base}/message resources`]: () => [],
    [`POST ${base}/proof body`]: await inTurn(count, async () => sign(server, (await begin(server)).ticket)),
    [`POST ${base}/accept body`]: await inTurn(count, () => prove(server)),
  };
}
