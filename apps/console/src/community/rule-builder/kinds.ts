import { type Fields, isGroup, type Node } from './tree/node.ts';

/** A field of a condition that has an input of its own. Those of `variables` begin with an underscore. */
export type FieldName =
  | 'contractAddress'
  | 'chainId'
  | 'tokenId'
  | 'collectionName'
  | 'tokenSymbol'
  | 'eventId'
  | 'minToken'
  | 'maxToken'
  | '_to'
  | '_minMonthlyRate'
  | '_functionName'
  | '_args'
  | '_decimals'
  | '_swapScore'
  | '_owners'
  | '_filter'
  | 'roleComposition';

/** What people call a field, and what helps to fill it in. */
export interface FieldWords {
  label: string;
  placeholder?: string;
  hint?: string;
}

/** A kind of condition: what people call it, and what its card asks for. */
export interface Kind {
  name: string;
  title: string;
  group: 'EVM tokens' | 'More on EVM' | 'Other chains' | 'People and services';
  fields: readonly FieldName[];
  /** Found by address, link or name. */
  hasToken?: boolean;
  /** Tokens with traits. */
  hasTraits?: boolean;
  /** Where wallets, times and delegations count. */
  hasReading?: boolean;
  /** What its fields are called, where the usual words do not fit. */
  words?: Partial<Record<FieldName, FieldWords>>;
  /** What fields have until they are filled in. */
  defaults?: Fields;
  /** What a new condition of this kind has. */
  start?: Fields;
}

const amount = ['minToken', 'maxToken'] as const;

function evm(name: string, title: string, fields: readonly FieldName[], more: Partial<Kind> = {}): Kind {
  return { name, title, group: 'More on EVM', fields, hasReading: true, ...more };
}

function other(name: string, title: string, fields: readonly FieldName[]): Kind {
  return { name, title, group: 'Other chains', fields, hasReading: true };
}

function person(name: string, title: string, fields: readonly FieldName[], more: Partial<Kind> = {}): Kind {
  return { name, title, group: 'People and services', fields, ...more };
}

const token = { group: 'EVM tokens', hasToken: true } as const;

export const kinds: readonly Kind[] = [
  evm('ERC20', 'Token amount (ERC20)', amount, token),
  evm('ERC721', 'NFT (ERC721)', ['tokenId', ...amount], { ...token, hasTraits: true }),
  evm('ERC1155', 'NFT with copies (ERC1155)', ['tokenId', ...amount], token),
  evm('NATIVE', 'Native currency, such as ETH', ['chainId', ...amount], { group: 'EVM tokens' }),
  evm('OPEN_SEA', 'OpenSea collection', ['chainId', 'collectionName', 'tokenId', ...amount], {
    group: 'EVM tokens',
    defaults: { chainId: 1 },
  }),
  evm('BEP20', 'Token on BNB Smart Chain (BEP20)', ['contractAddress', ...amount]),
  evm('BEP721', 'NFT on BNB Smart Chain (BEP721)', ['contractAddress', 'tokenId', ...amount]),
  evm('BEP1155', 'NFT with copies on BNB Smart Chain (BEP1155)', ['contractAddress', 'tokenId', ...amount]),
  evm('ERC777', 'Superfluid stream (ERC777)', ['chainId', 'contractAddress', '_to', '_minMonthlyRate', ...amount]),
  evm('ROLL', 'Roll token', ['tokenSymbol', ...amount]),
  evm('MOLOCH', 'Moloch DAO shares', ['chainId', 'contractAddress', ...amount]),
  evm('MOCA', 'Staked MOCA', amount),
  evm('staking', 'Staked tokens or NFTs', ['chainId', 'contractAddress', 'collectionName', ...amount]),
  evm('gnosis', 'Owner of a Safe', ['chainId', 'contractAddress', '_owners']),
  evm('CUSTOM_ABI', 'Value of a contract function', [
    'chainId',
    'contractAddress',
    '_functionName',
    '_args',
    '_decimals',
    ...amount,
  ]),
  evm('NFTY.INK', 'NFTY.INK', ['contractAddress', 'tokenId']),
  other('SOLANA_FT', 'Solana token', ['contractAddress', ...amount]),
  other('SOLANA_NFT', 'Solana NFT', ['contractAddress', 'tokenId', ...amount]),
  other('FLOW_FT', 'Flow token', ['contractAddress', ...amount]),
  other('FLOW_NFT', 'Flow NFT', ['contractAddress', 'tokenId', ...amount]),
  other('TEZOS_FA1.2', 'Tezos token (FA1.2)', ['contractAddress', ...amount]),
  other('TEZOS_FA2', 'Tezos token or NFT (FA2)', ['contractAddress', 'tokenId', ...amount]),
  other('RMRK', 'RMRK NFT on Kusama', ['contractAddress', 'tokenId', ...amount]),
  other('IMMUTABLE_X', 'NFT on Immutable X', ['contractAddress', 'tokenId', ...amount]),
  other('LOOPRING_FT', 'Loopring token', ['contractAddress', ...amount]),
  other('LOOPRING_NFT', 'Loopring NFT', ['contractAddress', 'tokenId', ...amount]),
  other('XRPL_FT', 'XRP Ledger token', ['contractAddress', ...amount]),
  other('XRPL_NFT', 'XRP Ledger NFT', ['contractAddress', 'tokenId', ...amount]),
  other('NEP141', 'NEAR token (NEP-141)', ['contractAddress', ...amount]),
  other('NEP171', 'NEAR NFT (NEP-171)', ['contractAddress', 'tokenId', ...amount]),
  {
    ...other('BITCOIN_ORDINALS', 'Bitcoin Ordinals', ['collectionName', 'tokenId', ...amount]),
    words: {
      collectionName: {
        label: 'Collection or parent',
        placeholder: 'All inscriptions',
        hint: 'The name of a collection, or the id of a parent inscription, whose children then count.',
      },
      tokenId: { label: 'Inscription numbers', placeholder: 'Any', hint: 'A list, ranges or both: 7, 1000-2000.' },
    },
  },
  other('BRC20', 'BRC-20 token', ['tokenSymbol', ...amount]),
  other('BITCOIN_STAMPS', 'Bitcoin Stamps', ['contractAddress', 'tokenId', ...amount]),
  other('TON_JETTON', 'TON jetton', ['contractAddress', ...amount]),
  other('TON_NFT', 'TON NFT', ['contractAddress', 'tokenId', ...amount]),
  other('NIFTY', 'Nifty Gateway collectible', ['contractAddress', 'tokenId', ...amount]),
  person('POAP', 'POAP attendance', ['eventId']),
  person('GALAXY', 'Galxe campaign', ['tokenId', ...amount]),
  person('GITCOIN_PASSPORT', 'Gitcoin Passport score', amount),
  person('TRUST_SWAP', 'TrustSwap SwapScore', ['_swapScore']),
  person('twitter', 'X account', ['_filter'], {
    start: {
      scheme: 'twitter',
      asset: 'twitter:twitter/profile:data',
      variables: { _filter: { filters: [{ traits: [{ trait_type: 'followers_count', value: '$ >= 100' }] }] } },
    },
  }),
  person('GUESTPASS', 'Guest pass', ['_filter'], {
    start: {
      scheme: 'VC',
      type: 'GUESTPASS',
      asset: 'veramo:collabland/vc:vc',
      variables: { _filter: { filters: [{ traits: [{ trait_type: 'guestPass', value: '' }] }] } },
    },
  }),
  person('role_composition', 'Other roles of the member', ['roleComposition'], {
    start: {
      scheme: 'role_composition',
      variables: { roleComposition: { action: 'addOrRemove', operator: 'and', condition: {} } },
    },
  }),
];

const byName = new Map(kinds.map((kind) => [kind.name.toUpperCase(), kind]));
const aliases: Readonly<Record<string, string>> = {
  OPENSEA: 'OPEN_SEA',
  SAFE: 'GNOSIS',
  SUPERFLUID: 'ERC777',
  VC: 'GUESTPASS',
  SOLANA: 'SOLANA_NFT',
  FLOW: 'FLOW_NFT',
  TEZOS: 'TEZOS_FA2',
  XRPL: 'XRPL_NFT',
};
// These say where, and the type beside them says what.
const chainSchemes = ['SOLANA', 'FLOW', 'TEZOS', 'XRPL', 'SUPERFLUID'];

/** The kind of a condition; undefined for one whose card is its JSON. */
export function kindOf({ type, scheme, asset }: Fields): Kind | undefined {
  const [byScheme, byType] = [wordIn(scheme), wordIn(type)];
  const isExact = byScheme !== '' && !chainSchemes.includes(byScheme) && lookUp(byScheme) !== undefined;
  const named = isExact ? byScheme : byType || byScheme;
  if (named !== '') return lookUp(named);
  const [, namespace = ''] = /^[^/]+\/([^:]+):/.exec(typeof asset === 'string' ? asset : '') ?? [];
  return lookUp(namespace.toUpperCase());
}

function lookUp(name: string): Kind | undefined {
  return byName.get(aliases[name] ?? name);
}

function wordIn(value: unknown): string {
  return typeof value === 'string' ? value.trim().toUpperCase() : '';
}

/** What a condition becomes when its kind is changed: amounts and settings that fit stay. */
export function withKind(fields: Fields, kind: Kind): Fields {
  if (kind.start !== undefined) return kind.start;
  const kept = Object.fromEntries(
    Object.entries(fields).filter(([name]) => name === 'visibility' || kind.fields.some((field) => field === name)),
  );
  return { type: kind.name, ...kind.defaults, ...kept };
}

/** What a card is called where it is moved or removed. */
export function titleOf(node: Node): string {
  if (!isGroup(node)) return kindOf(node.fields)?.title ?? 'Condition';
  return groupTitles[node.kind];
}

export const groupTitles = {
  all: 'All of these',
  any: 'Any of these',
  none: 'None of these',
  'at-least': 'At least some of these',
} as const;
