/** What an operator may not have set up: the message, and the page that explains how. */
interface Part {
  /** A full sentence. */
  missing: string;
  to: string;
  /** The text of the link. */
  how: string;
}

const chains = '/operators/chains';
const evmChain = (name: string): Part => ({
  missing: `This server does not read ${name}.`,
  to: `${chains}#configure-a-node-for-an-evm-chain`,
  how: 'Add an EVM chain',
});
const service = (missing: string): Part => ({
  missing,
  to: `${chains}#add-another-chain-or-a-service`,
  how: 'Add another chain or a service',
});
const otherChain = (name: string) => service(`This server does not read ${name}.`);

/** By the names that the server uses in `settings.json`. */
export const parts = {
  discord: { missing: 'This server has no Discord bot.', to: '/operators/discord', how: 'Connect Discord' },
  telegram: { missing: 'This server has no Telegram bot.', to: '/operators/telegram', how: 'Connect Telegram' },
  reddit: { missing: 'This server is not connected to Reddit.', to: '/operators/reddit', how: 'Connect Reddit' },
  matrix: { missing: 'This server has no Matrix bot.', to: '/operators/matrix', how: 'Connect Matrix' },
  walletconnect: {
    missing: 'This server does not offer WalletConnect.',
    to: '/help-docs/wallets/connecting-using-different-wallets/wallet-connect#for-operators-and-programmers',
    how: 'Offer WalletConnect',
  },
  selling: {
    missing: 'This server sells no plans: every community has all features.',
    to: '/operators/sell-plans',
    how: 'Sell plans',
  },
  'hosted-wallets': {
    missing: 'This server has no registry for hosted wallets, so no gm-pass can be claimed.',
    to: '/operators/commands#registry',
    how: 'Deploy a registry',
  },
  'waiting-list': {
    missing: 'This server has no waiting list.',
    to: '/telefrens/intro#for-the-operator',
    how: 'Deploy the contract',
  },
  evm: evmChain('any EVM chain'),
  base: evmChain('Base'),
  ronin: evmChain('Ronin'),
  bitcoin: otherChain('Bitcoin'),
  solana: otherChain('Solana'),
  xrpl: otherChain('the XRP Ledger'),
  loopring: otherChain('Loopring'),
  'immutable-x': otherChain('Immutable X'),
  gitcoin: service('This server does not read Gitcoin Passport scores.'),
  opensea: service('This server is not connected to OpenSea.'),
  poap: service('This server does not read POAP badges.'),
  snapshot: {
    missing: 'This server gets no messages from Snapshot.',
    to: '/help-docs/marketplace/apps/snapshot#for-operators-and-programmers',
    how: 'Connect Snapshot',
  },
  tokenproof: {
    missing: 'This server is not connected to tokenproof.',
    to: '/help-docs/wallets/connecting-using-different-wallets/tokenproof#for-operators-and-programmers',
    how: 'Connect tokenproof',
  },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof parts;
