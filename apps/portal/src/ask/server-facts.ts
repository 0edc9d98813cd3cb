import { chatPlatforms, type PlatformName, platformNames } from '@latchkey/kernel/chat-platforms';
import { splitWords, termsOf } from '@latchkey/server/docs-search';
import { type PartName, parts } from '../components/needs-setup/parts.ts';
import type { Settings } from '../settings.ts';

/** An EVM chain, as `GET /evm/network-configs` lists it. Hidden ones are not read. */
export interface EvmNetwork {
  chainId: number;
  description: string;
  names: readonly string[];
  hidden: boolean;
}

/** What is known about the server beside this site. Undefined or absent is unknown. */
export interface ServerState {
  setUp: Settings['setUp'];
  networks: readonly EvmNetwork[] | undefined;
}

/** One sentence about this server, with a page that says more. */
export interface ServerFact {
  about: string;
  sentence: string;
  to: string;
  how: string;
}

interface Subject {
  /** What a question calls it: it is meant if all words of one of the names occur. */
  names: readonly string[];
  present: string;
}

const platformParts = platformNames.filter((name) => name in parts) as (PlatformName & PartName)[];
const platforms = platformParts.map((part): [PartName, Subject] => {
  const { title } = chatPlatforms[part];
  return [part, { names: [title], present: `This server is connected to ${title}.` }];
});
const otherSubjects: Partial<Record<PartName, Subject>> = {
  walletconnect: { names: ['WalletConnect'], present: 'This server offers WalletConnect.' },
  selling: { names: ['sell plans', 'Stripe', 'card payment'], present: 'This server sells plans.' },
  'hosted-wallets': { names: ['hosted wallet', 'gm-pass'], present: 'This server offers hosted wallets (gm-pass).' },
  'waiting-list': { names: ['waiting list'], present: 'This server has a waiting list.' },
  bitcoin: { names: ['Bitcoin'], present: 'This server reads Bitcoin.' },
  solana: { names: ['Solana'], present: 'This server reads Solana.' },
  xrpl: { names: ['XRPL', 'XRP'], present: 'This server reads the XRP Ledger.' },
  loopring: { names: ['Loopring'], present: 'This server reads Loopring.' },
  'immutable-x': { names: ['Immutable X'], present: 'This server reads Immutable X.' },
  gitcoin: { names: ['Gitcoin Passport'], present: 'This server reads Gitcoin Passport scores.' },
  opensea: { names: ['OpenSea'], present: 'This server is connected to OpenSea.' },
  poap: { names: ['POAP'], present: 'This server reads POAP badges.' },
  snapshot: { names: ['Snapshot'], present: 'This server gets messages from Snapshot.' },
  tokenproof: { names: ['tokenproof'], present: 'This server is connected to tokenproof.' },
};
const subjects: Partial<Record<PartName, Subject>> = { ...Object.fromEntries(platforms), ...otherSubjects };
const chainParts: readonly PartName[] = ['bitcoin', 'solana', 'xrpl', 'loopring', 'immutable-x'];
const chainsPage = {
  to: '/help-docs/key-features/token-gate-communities#chains-and-token-types',
  how: 'Chains and token types',
};
const addChain = { to: '/operators/chains#configure-a-node-for-an-evm-chain', how: 'Add an EVM chain' };

/** Whether a question is about this server, and not about Latchkey in general. */
const aboutThisServer =
  /\b(?:this|our|your|the) server\b|\bhere\b|\bconfigured\b|\bset ?up\b|\bturned on\b|\bswitched on\b|\benabled\b/i;
const asksForChains = /\b(?:which|what|list)\b.*\b(?:block)?(?:chain|network)s?\b/i;
const asksForPlatforms = /\b(?:which|what|list)\b.*\b(?:chat|platform|messenger)s?\b/i;

const speaksOfChains = /\b(?:chain|coin|network|nft|token)s?\b/i;

/** Whether the networks of the server are needed to answer. */
export function needsNetworks(question: string): boolean {
  return aboutThisServer.test(question) || asksForChains.test(question);
}

/** Returns what the settings of this server say about the subjects of a question. */
export function serverFacts(question: string, { setUp, networks }: ServerState): ServerFact[] {
  const facts: ServerFact[] = [];
  if (asksForChains.test(question)) {
    const list = chainList(setUp, networks);
    if (list !== undefined) facts.push(list);
  }
  if (!aboutThisServer.test(question) && !asksForPlatforms.test(question)) return facts;
  const spoken = new Set(termsOf(splitWords(question)));
  const isNamed = (name: string) => termsOf(splitWords(name)).every((term) => spoken.has(term));
  for (const [part, { names, present }] of Object.entries(subjects) as [PartName, Subject][]) {
    const isMeant = names.some(isNamed) || (part in chatPlatforms && asksForPlatforms.test(question));
    const isThere = setUp[part];
    if (!isMeant || isThere === undefined) continue;
    const { missing, to, how } = parts[part];
    facts.push({ about: part, sentence: isThere ? present : missing, to, how });
  }
  // Some chains are called like ordinary words, such as Base, Mode or Scroll.
  const isChain = (name: string) =>
    isNamed(name) && (speaksOfChains.test(question) || question.includes(name.charAt(0).toUpperCase() + name.slice(1)));
  for (const { chainId, description, names, hidden } of networks ?? []) {
    if (![description, ...names].some(isChain)) continue;
    facts.push({
      about: `evm:${chainId}`,
      sentence: `This server ${hidden ? 'does not read' : 'reads'} ${description}.`,
      ...(hidden ? addChain : chainsPage),
    });
  }
  return facts;
}

function chainList(setUp: Settings['setUp'], networks: readonly EvmNetwork[] | undefined): ServerFact | undefined {
  if (networks === undefined) return undefined;
  const evm = networks.filter(({ hidden }) => !hidden).map(({ description }) => description);
  const others = chainParts.filter((part) => setUp[part] === true).flatMap((part) => subjects[part]?.names[0] ?? []);
  const list = [...evm, ...others];
  const sentence = list.length === 0 ? 'This server reads no chain.' : `This server reads ${list.join(', ')}.`;
  return { about: 'chains', sentence, ...chainsPage };
}
