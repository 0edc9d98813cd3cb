import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import Fastify, { type FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import { expressGate, expressHolder } from './express.ts';
import { fastifyGate } from './fastify.ts';
import { honoGate } from './hono.ts';
import type { Gate, Verdict, Visitor } from './index.ts';
import { nextGate, nextHolder } from './next.ts';

/** The account says which verdict it gets. */
const gate: Gate = {
  check: async (visitor) => {
    const status = ('account' in visitor ? visitor.account : '') as Verdict['status'];
    return { status, roles: status === 'granted' ? ['member'] : [] };
  },
};

const visitorBy = (who: string | null | undefined): Visitor | undefined => {
  if (who === 'broken') throw new Error('the session store is down');
  return who ? { account: who } : undefined;
};

interface TestRequest {
  who?: string;
  accept?: string;
}

interface Got {
  status: number;
  body: string;
  headers: Headers;
}

async function read(response: Response): Promise<Got> {
  return { status: response.status, body: await response.text(), headers: response.headers };
}

const headersOf = ({ who, accept }: TestRequest) => ({ ...(who && { 'x-who': who }), ...(accept && { accept }) });

/** Each framework, as a function from a request to a response. */
const frameworks: Record<
  string,
  () => Promise<{ ask(request: TestRequest): Promise<Got>; close?(): Promise<unknown> }>
> = {
  'Express and its like': async () => {
    const visitor = (request: { headers: Record<string, unknown> & { accept?: string } }) =>
      visitorBy(request.headers['x-who'] as string);
    const middleware = expressGate(gate, { visitor, loginUrl: '/login' });
    const holder = expressHolder(gate, { visitor });
    const server = createServer((request: IncomingMessage & { holder?: Verdict }, response) => {
      const next = (error?: unknown) => {
        response.statusCode = error === undefined ? 200 : 500;
        response.end(error === undefined ? `for ${request.holder?.roles}` : '');
      };
      if (request.url === '/holder') holder(request, response, next);
      else middleware(request, response, next);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      ask: async (requested) => read(await fetch(at, { headers: headersOf(requested), redirect: 'manual' })),
      close: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  },
  Fastify: async () => {
    const app = Fastify();
    const options = {
      visitor: ({ headers }: FastifyRequest) => visitorBy(String(headers['x-who'] ?? '')),
      loginUrl: '/login',
    };
    app.get('/', { preHandler: fastifyGate(gate, options) }, async (request) => `for ${request.holder?.roles}`);
    return {
      ask: async (requested) => {
        const { statusCode, body, headers } = await app.inject({ url: '/', headers: headersOf(requested) });
        return { status: statusCode, body, headers: new Headers(headers as Record<string, string>) };
      },
      close: () => app.close(),
    };
  },
  Hono: async () => {
    const app = new Hono();
    app.use('/', honoGate(gate, { visitor: (c) => visitorBy(c.req.header('x-who')), loginUrl: '/login' }));
    app.get('/', (c) => c.text(`for ${c.get('holder').roles}`));
    app.onError(() => new Response(null, { status: 500 }));
    return { ask: async (requested) => read(await app.request('/', { headers: headersOf(requested) })) };
  },
  'Next.js': async () => {
    const options = { visitor: (request: Request) => visitorBy(request.headers.get('x-who')), loginUrl: '/login' };
    const GET = nextGate(gate, options, (_request, { holder }) => new Response(`for ${holder.roles}`));
    return {
      ask: async (requested) =>
        GET(new Request('http://a.test', { headers: headersOf(requested) }), {}).then(read, () => ({
          status: 500,
          body: '',
          headers: new Headers(),
        })),
    };
  },
};

for (const [name, start] of Object.entries(frameworks))
  test(`${name}: a qualifying user passes, and everyone else learns why not`, async () => {
    const { ask, close } = await start();
    try {
      assert.deepEqual(
        [(await ask({ who: 'granted' })).status, (await ask({ who: 'granted' })).body],
        [200, 'for member'],
      );
      const denied = await ask({ who: 'denied' });
      assert.equal(denied.status, 403);
      assert.match(JSON.parse(denied.body).error.message, /do not hold/);
      const unknown = await ask({ who: 'unknown' });
      assert.deepEqual([unknown.status, unknown.headers.get('retry-after')], [503, '5']);
      const program = await ask({ accept: 'application/json' });
      assert.deepEqual([program.status, program.headers.get('cache-control')], [401, 'no-store']);
      const person = await ask({ accept: 'text/html,*/*' });
      assert.deepEqual([person.status, person.headers.get('location')], [302, '/login']);
      assert.equal((await ask({ who: 'broken' })).status, 500);
    } finally {
      await close?.();
    }
  });

test('the endpoint for pages identifies the visitor', async () => {
  const GET = nextHolder(gate, { visitor: (request: Request) => visitorBy(request.headers.get('x-who')) });
  const ask = async (requested: TestRequest) =>
    (await GET(new Request('http://a.test', { headers: headersOf(requested) }))).json();
  assert.deepEqual(await ask({ who: 'granted' }), { status: 'granted', roles: ['member'] });
  assert.deepEqual(await ask({}), { status: 'signed-out', roles: [] });
});
