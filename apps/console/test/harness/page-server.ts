import type { AddressInfo } from 'node:net';
import type { PageData } from '@latchkey/kernel';
import { addAssets, sendPage } from '@latchkey/server/pages';
import Fastify from 'fastify';

export interface PageServer extends AsyncDisposable {
  /** The address of a page that is told `data`, with what Telegram adds to it where it opens the page. */
  show(data: PageData): string;
  url: string;
}

/** A server of nothing but pages, as the real one sends them, for what they look like with any data. */
export async function startPageServer(): Promise<PageServer> {
  const fastify = Fastify({ logger: false, routerOptions: { maxParamLength: 2_000 } });
  const pages: PageData[] = [];
  addAssets(fastify);
  fastify.get<{ Params: { number: string } }>('/pages/:number', async (request, reply) => {
    const data = pages[Number(request.params.number)];
    return data === undefined ? reply.code(404).send() : sendPage(reply, data);
  });
  // What the pages ask the API for at first, so that they have something to show.
  const page = (items: unknown[]) => ({ items });
  fastify.get('/wallet-manager/wallet-connections', async () => page(sampleWallets));
  fastify.get('/webauthn/credentials', async () => page(samplePasskeys));
  fastify.get('/latchkey/account/communities/:id/roles', async () => sampleRoles);
  fastify.get('/latchkey/account/communities/:id/role-steps', async () => sampleSteps);
  fastify.post('/latchkey/telegram-join-requests/:slug/open', async () => sampleJoin);
  fastify.post('/latchkey/telegram-join-requests/:slug/check', async () => ({
    state: 'needed',
    role: sampleRoles.roles[0],
  }));
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://localhost:${(fastify.server.address() as AddressInfo).port}`;
  return {
    url,
    show: (data) =>
      `${url}/pages/${pages.push(data) - 1}${data.page === 'join' ? '#tgWebAppData=user%3D%257B%257D%26hash%3D1' : ''}`,
    [Symbol.asyncDispose]: () => fastify.close(),
  };
}

const createdTime = '2026-11-02T09:30:00.000Z';
export const sampleWallets = [
  {
    id: '1',
    sk: 'WALLET#0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    accountId: 'evm:1:0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    createdTime,
  },
  {
    id: '2',
    sk: 'WALLET#9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
    address: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
    accountId: 'solana:mainnet-beta:9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
    createdTime,
  },
];
const need = 'at least 2 CAT on Ethereum';
const sampleRoles = {
  communityId: 'DIS#COMM#1',
  communityName: 'Cat Club',
  platform: 'discord',
  link: 'https://discord.com/channels/1',
  wallets: 2,
  conditions: 1,
  conditionsMet: 0,
  roles: [
    {
      roleId: '1',
      name: 'Gold',
      color: 0xd4a017,
      opens: ['vault', 'gold-lounge'],
      has: false,
      state: 'missing',
      isSuppressed: false,
      words: [`The rule "Cat club" needs ${need}. Your linked wallets hold 1.5.`],
      paths: [
        {
          name: 'Cat club',
          state: 'not-met',
          need,
          conditions: [{ state: 'not-met', need }],
          lines: [
            { depth: 0, kind: 'all', state: 'not-met' },
            {
              depth: 1,
              kind: 'condition',
              state: 'not-met',
              need,
              amount: { least: '2', have: '1.5', unit: 'CAT on Ethereum' },
              link: 'https://etherscan.io/token/0x0',
            },
            {
              depth: 1,
              kind: 'condition',
              state: 'unknown',
              need: 'at least 1 DOG on Base',
              problem: 'The node of Base did not respond.',
              sinceTime: createdTime,
            },
          ],
        },
      ],
    },
    {
      roleId: '2',
      name: 'Friend',
      opens: [],
      has: true,
      state: 'kept',
      isSuppressed: false,
      words: ['A guest pass gives you this role.'],
      paths: [],
    },
  ],
};
const sampleJoin = { token: 'token', name: 'alice', communityId: 'TEL#COMM#-1001', communityName: 'Cat Club' };
const sampleSteps = {
  platform: 'discord',
  linked: { state: 'done', time: createdTime },
  checked: { state: 'done', time: createdTime },
  blocks: [{ chain: 'evm:1', block: '21000000' }],
  roles: [
    {
      roleId: '2',
      name: 'Friend',
      action: 'grant',
      written: { state: 'done', time: createdTime },
      seen: { state: 'done', time: createdTime },
    },
  ],
};
export const samplePasskeys = [
  { id: '1', name: 'Phone', createdTime, suspicious: false },
  { id: '2', name: 'Old laptop', createdTime, suspicious: true },
];
