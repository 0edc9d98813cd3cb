import { splitResource } from './areas.ts';

/** A purpose of the reference, with its resources; the most used come first. */
interface Group {
  title: string;
  /** The display names of resources, by their names in the API. */
  resources: Readonly<Record<string, string>>;
}

export const groups: readonly Group[] = [
  {
    title: 'Check what wallets own',
    resources: { 'access-control': 'Role checks', assets: 'Assets and ownership claims' },
  },
  {
    title: 'Run a community',
    resources: {
      communities: 'Communities and rules',
      'role-manager': 'Member roles',
      'latchkey-communities': 'Settings of communities',
      'latchkey-rules': 'Rules in the console',
      'latchkey-role-changes': 'Role changes',
      'latchkey-members': 'Members',
      'latchkey-shadow-mode': 'Moving from another bot',
      'latchkey-plans': 'Plans and wallets of communities',
      discord: 'Discord',
      reddit: 'Reddit',
      analytics: 'Statistics',
      payments: 'Payments and plans',
    },
  },
  {
    title: 'Sign people in',
    resources: {
      'ethereum-login': 'Sign in with a wallet',
      oauth2: 'OAuth2 and OpenID Connect',
      'user-authorizations': 'Authorized applications',
      webauthn: 'Passkeys',
      totp: 'Authenticator apps',
      'latchkey-sessions': 'Sessions',
    },
  },
  {
    title: 'Link wallets and accounts',
    resources: {
      account: 'The signed-in user',
      'latchkey-account': 'The user in the console',
      'wallet-manager': 'Wallet connections',
      'hosted-wallets': 'Hosted wallets',
      pkp: 'Hosted wallet signatures',
      tokenproof: 'Tokenproof',
    },
  },
  {
    title: 'Build an application',
    resources: {
      'client-apps': 'Client applications',
      'latchkey-apps': 'Keys, webhooks and usage',
      'dev-orgs': 'Organizations',
      scopes: 'Scopes',
    },
  },
  {
    title: 'Build a mini-app',
    resources: {
      miniapps: 'Mini-apps',
      'latchkey-miniapps': 'Mini-apps in the console',
      marketplace: 'Marketplace',
      'hello-action': 'Sample mini-app',
    },
  },
  {
    title: 'Look up chains and tokens',
    resources: {
      evm: 'EVM networks and tokens',
      'ethereum-nfts': 'NFT collections',
      'nft-metadata': 'NFT metadata',
      'near-nft': 'NEAR tokens and markets',
      'near-indexer': 'NEAR activity',
      'staking-contracts': 'Staking contracts',
      flow: 'Flow contracts',
      'axie-infinity': 'Axie Infinity rules',
    },
  },
  {
    title: 'Work with partners',
    resources: {
      snapshot: 'Snapshot proposals',
      kudos: 'Kudos',
      'waiting-list': 'Waiting list',
      'support-tickets': 'Support tickets',
    },
  },
  {
    title: 'Server and utilities',
    resources: {
      discovery: 'Discovery',
      config: 'Public settings',
      jwt: 'Signing keys',
      states: 'Stored states',
      slugs: 'Short links',
      qrcode: 'QR codes',
      'log-settings': 'Log levels',
      ping: 'Ping',
      'latchkey-operator': 'Operating the server',
      'latchkey-more': 'More of Latchkey',
      'latchkey-playgrounds': 'Playgrounds of the guides',
    },
  },
];

export type Arranged<Tag> = Tag & { title: string; group: string };

/** Operations that the published API does not have. */
export const ownTitle = 'Latchkey additions';

/** Returns the display name of a resource. */
export function titleOf(name: string): string {
  if (name === splitResource) return ownTitle;
  return groups.map(({ resources }) => resources[name]).find((title) => title !== undefined) ?? name;
}

/** Resources without a group, which only another version of the API has. */
const others = 'Other';

/** Sorts resources by group, each with its title and its group. */
export function arrange<Tag extends { name: string }>(tags: readonly Tag[]): Arranged<Tag>[] {
  const places = groups.flatMap(({ title: group, resources }) =>
    Object.entries(resources).map(([name, title]) => ({ name, title, group })),
  );
  const known = places.flatMap((place) => {
    const tag = tags.find(({ name }) => name === place.name);
    return tag === undefined ? [] : [{ ...tag, ...place }];
  });
  const rest = tags.filter(({ name }) => !places.some((place) => place.name === name));
  return [...known, ...rest.map((tag) => ({ ...tag, title: tag.name, group: others }))];
}
