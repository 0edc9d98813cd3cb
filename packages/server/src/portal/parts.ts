import type { Config } from '../config.ts';

type Check = (config: PartConfig) => boolean;

export type PartConfig = Pick<
  Config,
  | 'chainUrls'
  | 'discordBotToken'
  | 'evmRpcUrls'
  | 'matrix'
  | 'redditClientId'
  | 'redditClientSecret'
  | 'registry'
  | 'selling'
  | 'serviceKeys'
  | 'telegramBotToken'
  | 'waitingList'
  | 'walletConnect'
>;

const evmChain =
  (chainId: number): Check =>
  ({ evmRpcUrls }) =>
    evmRpcUrls.has(String(chainId));

/** Whether the settings name any of these services, or any network of these chains. */
const asks =
  (...names: string[]): Check =>
  ({ chainUrls }) =>
    [...chainUrls.keys()].some((known) => names.some((name) => known === name || known.startsWith(`${name}:`)));

const hasKey =
  (name: string): Check =>
  ({ serviceKeys }) =>
    serviceKeys.has(name);

/** The parts that the portal's pages describe and that an operator has to set up, each with its check. */
const checks = {
  discord: ({ discordBotToken }) => discordBotToken !== undefined,
  telegram: ({ telegramBotToken }) => telegramBotToken !== undefined,
  reddit: ({ redditClientId, redditClientSecret }) => redditClientId !== undefined && redditClientSecret !== undefined,
  matrix: ({ matrix }) => matrix !== undefined,
  walletconnect: ({ walletConnect }) => walletConnect !== undefined,
  selling: ({ selling }) => selling.isOn,
  'hosted-wallets': ({ registry, evmRpcUrls }) =>
    registry.address !== undefined && evmRpcUrls.has(String(registry.chainId)),
  'waiting-list': ({ waitingList }) => waitingList.contracts.length > 0,
  evm: ({ evmRpcUrls }) => evmRpcUrls.size > 0,
  base: evmChain(8453),
  ronin: evmChain(2020),
  bitcoin: asks('esplora', 'ord', 'brc20', 'stamps'),
  solana: asks('solana'),
  xrpl: asks('xrpl'),
  loopring: asks('loopring'),
  'immutable-x': asks('immutable_x'),
  gitcoin: asks('gitcoin'),
  opensea: asks('opensea'),
  poap: asks('poap'),
  snapshot: hasKey('snapshot-webhook'),
  tokenproof: (config) => asks('tokenproof')(config) && hasKey('tokenproof')(config),
} as const satisfies Record<string, Check>;

export type PortalPart = keyof typeof checks;

export const portalParts = Object.keys(checks) as PortalPart[];

/** Returns which parts are set up. It is sent to every reader of the portal, so it contains nothing but yes or no. */
export function partsSetUp(config: PartConfig): Record<PortalPart, boolean> {
  const answers = portalParts.map((part) => [part, checks[part](config)]);
  return Object.fromEntries(answers);
}

/** As written by the portal: the note and its summary are hidden, and the section that needs the part is open. */
const guarded =
  /(<aside\b[^>]*?) hidden(?:="")?( data-needs="?([\w-]+)"?[^>]*>.*?<details\b[^>]*?) open(?:="")?([^>]*><summary\b[^>]*?) hidden(?:="")?/gs;

/** Returns a page for a server without these parts: sections that need one are collapsed from the first paint on. */
export function foldMissing(page: string, setUp: Readonly<Record<string, boolean>>): string {
  return page.replace(guarded, (whole, start: string, note: string, part: string, rest: string) =>
    setUp[part] === false ? `${start}${note}${rest}` : whole,
  );
}
