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
  /** Its contract is found by address, link or name, and says itself of which kind it is. */
  hasToken?: boolean;
  /** The EVM chain that its contract is on, where there is no choice. */
  chainId?: number;
  /** What its amounts count. */
  unit?: string;
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

/** A kind of another chain. `contract` is what people call the thing that its contract field names, and how it is written. */
function other(name: string, title: string, fields: readonly FieldName[], contract?: FieldWords): Kind {
  return {
    name,
    title,
    group: 'Other chains',
    fields,
    hasReading: true,
    unit: /NFT|RMRK|IMMUTABLE|NEP171|ORDINALS|STAMPS|NIFTY/.test(name) ? 'NFTs' : 'tokens',
    ...(contract !== undefined && { words: { contractAddress: contract } }),
  };
}

function person(name: string, title: string, fields: readonly FieldName[], more: Partial<Kind> = {}): Kind {
  return { name, title, group: 'People and services', fields, ...more };
}

const token = { group: 'EVM tokens', hasToken: true, unit: 'tokens' } as const;
const nft = { ...token, unit: 'NFTs' } as const;
const bsc = { chainId: 56, unit: 'tokens' } as const;
const bscNft = { chainId: 56, unit: 'NFTs' } as const;

function called(label: string, placeholder: string, hint?: string): FieldWords {
  return { label, placeholder, ...(hint !== undefined && { hint }) };
}

const flowPath = called(
  'Flow contract path',
  'A.1654653399040a61.FlowToken…',
  'The public path, as Flow wallets name it.',
);
const tezosContract = called('Tezos contract', 'KT1…');

export const kinds: readonly Kind[] = [
  evm('ERC20', 'Token amount (ERC20)', amount, token),
  evm('ERC721', 'NFT (ERC721)', ['tokenId', ...amount], { ...nft, hasTraits: true }),
  evm('ERC1155', 'NFT with copies (ERC1155)', ['tokenId', ...amount], {
    ...nft,
    words: { tokenId: called('Which tokens count', '1, 5-10', 'Numbers and ranges: 7, 12, 20-30.') },
  }),
  evm('NATIVE', 'Native currency, such as ETH', ['chainId', ...amount], { group: 'EVM tokens', unit: 'coins' }),
  evm('OPEN_SEA', 'OpenSea collection', ['chainId', 'collectionName', 'tokenId', ...amount], {
    group: 'EVM tokens',
    unit: 'NFTs',
    defaults: { chainId: 1 },
    words: { collectionName: called('OpenSea collection', 'Its link, or its name in the link') },
  }),
  evm('BEP20', 'Token on BNB Smart Chain (BEP20)', ['contractAddress', ...amount], bsc),
  evm('BEP721', 'NFT on BNB Smart Chain (BEP721)', ['contractAddress', 'tokenId', ...amount], bscNft),
  evm('BEP1155', 'NFT with copies on BNB Smart Chain (BEP1155)', ['contractAddress', 'tokenId', ...amount], bscNft),
  evm('ERC777', 'Superfluid stream (ERC777)', ['chainId', 'contractAddress', '_to', '_minMonthlyRate', ...amount], {
    unit: 'tokens',
    words: { contractAddress: called('Streamed token', 'Paste its address, or type a name') },
  }),
  evm('ROLL', 'Roll token', ['tokenSymbol', ...amount], { unit: 'tokens' }),
  evm('MOLOCH', 'Moloch DAO shares', ['chainId', 'contractAddress', ...amount], {
    unit: 'shares',
    words: { contractAddress: called('DAO contract', '0x…', 'The contract that holds the shares.') },
  }),
  evm('MOCA', 'Staked MOCA', amount, { unit: 'MOCA' }),
  evm('staking', 'Staked tokens or NFTs', ['chainId', 'contractAddress', 'collectionName', ...amount], {
    unit: 'staked',
    words: {
      contractAddress: called('Staking contract', '0x…', 'The contract that members stake in.'),
      collectionName: called('Only this collection', 'All', 'For contracts that take several collections.'),
    },
  }),
  evm('gnosis', 'Owner of a Safe', ['chainId', 'contractAddress', '_owners'], {
    words: { contractAddress: called('Address of the Safe', '0x…', 'It is in the Safe’s own link, after the chain.') },
  }),
  evm('CUSTOM_ABI', 'Value of a contract function', ['chainId', 'contractAddress', '_functionName', ...amount], {
    words: {
      contractAddress: called('Contract', 'Paste its address, or type a name'),
      minToken: called('Result is at least', '1'),
      maxToken: called('Result is at most', 'No limit'),
    },
  }),
  evm('NFTY.INK', 'NFTY.INK', ['contractAddress', 'tokenId'], { chainId: 1 }),
  other('SOLANA_FT', 'Solana token', ['contractAddress', ...amount], called('Token', 'Paste its mint, or type a name')),
  other('SOLANA_NFT', 'Solana NFT', ['contractAddress', ...amount], called('Address', 'A Solana address')),
  other('FLOW_FT', 'Flow token', ['contractAddress', ...amount], flowPath),
  other('FLOW_NFT', 'Flow NFT', ['contractAddress', 'tokenId', ...amount], flowPath),
  other('TEZOS_FA1.2', 'Tezos token (FA1.2)', ['contractAddress', ...amount], tezosContract),
  other('TEZOS_FA2', 'Tezos token or NFT (FA2)', ['contractAddress', 'tokenId', ...amount], tezosContract),
  other(
    'RMRK',
    'RMRK NFT on Kusama',
    ['contractAddress', 'tokenId', ...amount],
    called('Collection', 'Its link on Singular'),
  ),
  other(
    'IMMUTABLE_X',
    'NFT on Immutable X',
    ['contractAddress', 'tokenId', ...amount],
    called('Collection contract', '0x…'),
  ),
  other(
    'LOOPRING_FT',
    'Loopring token',
    ['contractAddress', ...amount],
    called(
      'Token contract on Ethereum',
      '0x…',
      'The contract on Ethereum, not the symbol. Ether is 0x and forty zeros.',
    ),
  ),
  other(
    'LOOPRING_NFT',
    'Loopring NFT',
    ['contractAddress', 'tokenId', ...amount],
    called('Collection contract', '0x…'),
  ),
  other('XRPL_FT', 'XRP Ledger token', ['contractAddress', ...amount]),
  other('XRPL_NFT', 'XRP Ledger NFT', ['contractAddress', 'tokenId', ...amount]),
  other('NEP141', 'NEAR token (NEP-141)', ['contractAddress', ...amount], called('Token account', 'token.near')),
  other(
    'NEP171',
    'NEAR NFT (NEP-171)',
    ['contractAddress', 'tokenId', ...amount],
    called('Collection account', 'art.near'),
  ),
  {
    ...other('BITCOIN_ORDINALS', 'Bitcoin Ordinals', ['collectionName', 'tokenId', ...amount]),
    words: {
      collectionName: {
        label: 'Collection or parent',
        placeholder: 'All inscriptions',
        hint: 'The name of a collection, or a parent inscription, whose children then count.',
      },
      tokenId: { label: 'Inscription numbers', placeholder: 'Any', hint: 'A list, ranges or both: 7, 1000-2000.' },
    },
  },
  other('BRC20', 'BRC-20 token', ['tokenSymbol', ...amount]),
  {
    ...other('BITCOIN_STAMPS', 'Bitcoin Stamps', ['contractAddress', 'tokenId', ...amount]),
    words: {
      contractAddress: called('Creator', 'All stamps', 'The Bitcoin address of the creator.'),
      tokenId: called('Stamp numbers', 'Any', 'A list, ranges or both: 7, 1000-2000.'),
    },
  },
  other('TON_JETTON', 'TON jetton', ['contractAddress', ...amount], called('Jetton', 'EQ…', 'Its master contract.')),
  other('TON_NFT', 'TON NFT', ['contractAddress', 'tokenId', ...amount], called('Collection', 'EQ…')),
  other(
    'NIFTY',
    'Nifty Gateway collectible',
    ['contractAddress', 'tokenId', ...amount],
    called('Collection contract', '0x…'),
  ),
  person('POAP', 'POAP attendance', ['eventId']),
  person('GALAXY', 'Galxe campaign', ['tokenId', ...amount], {
    unit: 'NFTs',
    words: { tokenId: called('Galxe campaigns', 'GC1abc', 'Paste the link of a campaign. Any of several is enough.') },
  }),
  person('GITCOIN_PASSPORT', 'Gitcoin Passport score', amount, { unit: 'points' }),
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
      variables: { _filter: { filters: [{ condition: 'or', traits: [] }] } },
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
