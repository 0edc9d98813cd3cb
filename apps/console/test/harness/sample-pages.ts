import type { PageData } from '@latchkey/kernel';

const client = {
  name: 'Cat Café',
  maker: 'Cats of the World',
  url: 'https://cats.example/',
  returnsTo: 'app.cats.example',
};
const account = { platform: 'discord', name: 'alice' };

/** One green pixel. */
export const samplePicture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkaPhfDwADhgGAmXfC2wAAAABJRU5ErkJggg==';

/** One page of each kind, as people meet them. */
export const samplePages = {
  connect: {
    page: 'connect',
    token: 'token',
    account,
    community: { id: 'DIS#COMM#1', name: 'Cat Club', picture: samplePicture },
    namespaces: ['evm', 'solana', 'tezos', 'flow', 'polkadot', 'near', 'bitcoin', 'xrpl', 'ton'],
  },
  join: { page: 'join', slug: 'slug', namespaces: ['evm', 'solana', 'ton'] },
  'in the browser of a wallet': {
    page: 'handoff',
    ticket: 'ticket',
    server: 'Latchkey',
    purpose: 'link',
    account,
    community: { name: 'Cat Club' },
    namespaces: ['evm', 'solana'],
  },
  login: {
    page: 'login',
    slug: 'slug',
    client,
    methods: ['wallet', 'passkey', 'discord', 'telegram', 'reddit'],
  },
  consent: {
    page: 'consent',
    slug: 'slug',
    token: 'token',
    client,
    account,
    scopes: [
      { scope: 'openid', description: 'know which account you are' },
      { scope: 'user:wallet:read', description: 'read the wallets you have linked' },
      { scope: 'user:community:read', description: 'read the communities you belong to or administer' },
    ],
  },
  'a one-time sign-in link': { page: 'enter', action: '/console/enter/ticket', server: 'Latchkey', name: 'alice' },
  'back from X': { page: 'x-return', returned: { state: 'state', code: 'code' } },
  logout: { page: 'logout', action: '/oauth2/logout/confirm', proof: 'proof', client: 'Cat Café' },
  notice: {
    page: 'notice',
    title: 'This link has expired',
    text: 'Links to connect a wallet expire after 15 minutes. Go back to where you got this one and request a new link.',
  },
} as const satisfies Record<string, PageData>;
