import { type MessageId, t } from './messages/index.ts';
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

/** The texts of a field: what people call it, and what helps to fill it in. */
export interface FieldTexts {
  label: FieldText;
  placeholder?: FieldText;
  /** A value as an example instead of a placeholder in words. */
  sample?: string;
  hint?: FieldText;
}

type FieldText = MessageId & `field.${string}`;
type NameIn<Id> = Id extends `kind.${infer Name}` ? Name : never;

/** A kind of condition, and what its card asks for. Its title is the message `kind.<name>`. */
export interface Kind {
  name: NameIn<MessageId>;
  group: 'tokens' | 'evm' | 'otherChains' | 'people';
  fields: readonly FieldName[];
  /** Its contract is found by address, link or name, and says itself of which kind it is. */
  hasToken?: boolean;
  /** The EVM chain that its contract is on, where there is no choice. */
  chainId?: number;
  /** What its amounts count. */
  unit?: MessageId & `unit.${string}`;
  /** Tokens with traits. */
  hasTraits?: boolean;
  /** Where wallets, times and delegations count. */
  hasReading?: boolean;
  /** What its fields are called, where the usual words do not fit. */
  texts?: Partial<Record<FieldName, FieldTexts>>;
  /** What fields have until they are filled in. */
  defaults?: Fields;
  /** What a new condition of this kind has. */
  start?: Fields;
}

const amount = ['minToken', 'maxToken'] as const;

function evm(name: Kind['name'], fields: readonly FieldName[], more: Partial<Kind> = {}): Kind {
  return { name, group: 'evm', fields, hasReading: true, ...more };
}

/** A kind of another chain. `contract` is what people call the thing that its contract field names, and how it is written. */
function other(name: Kind['name'], fields: readonly FieldName[], contract?: FieldTexts): Kind {
  return {
    name,
    group: 'otherChains',
    fields,
    hasReading: true,
    unit: /NFT|RMRK|IMMUTABLE|NEP171|ORDINALS|STAMPS|NIFTY/.test(name) ? 'unit.nfts' : 'unit.tokens',
    ...(contract !== undefined && { texts: { contractAddress: contract } }),
  };
}

function person(name: Kind['name'], fields: readonly FieldName[], more: Partial<Kind> = {}): Kind {
  return { name, group: 'people', fields, ...more };
}

const token = { group: 'tokens', hasToken: true, unit: 'unit.tokens' } as const;
const nft = { ...token, unit: 'unit.nfts' } as const;
const bsc = { chainId: 56, unit: 'unit.tokens' } as const;
const bscNft = { chainId: 56, unit: 'unit.nfts' } as const;

const searchedContract: FieldTexts = { label: 'field.contract', placeholder: 'field.contractPlaceholder' };
const flowPath: FieldTexts = {
  label: 'field.flowPath',
  sample: 'A.1654653399040a61.FlowToken…',
  hint: 'field.flowPathHint',
};
const tezosContract: FieldTexts = { label: 'field.tezosContract', sample: 'KT1…' };
const collectionContract: FieldTexts = { label: 'field.collectionContract', sample: '0x…' };

export const kinds: readonly Kind[] = [
  evm('ERC20', amount, token),
  evm('ERC721', ['tokenId', ...amount], { ...nft, hasTraits: true }),
  evm('ERC1155', ['tokenId', ...amount], {
    ...nft,
    texts: { tokenId: { label: 'field.tokens', sample: '1, 5-10', hint: 'field.ranges' } },
  }),
  evm('NATIVE', ['chainId', ...amount], { group: 'tokens', unit: 'unit.coins' }),
  evm('OPEN_SEA', ['chainId', 'collectionName', 'tokenId', ...amount], {
    group: 'tokens',
    unit: 'unit.nfts',
    defaults: { chainId: 1 },
    texts: { collectionName: { label: 'field.openSea', placeholder: 'field.openSeaPlaceholder' } },
  }),
  evm('BEP20', ['contractAddress', ...amount], bsc),
  evm('BEP721', ['contractAddress', 'tokenId', ...amount], bscNft),
  evm('BEP1155', ['contractAddress', 'tokenId', ...amount], bscNft),
  evm('ERC777', ['chainId', 'contractAddress', '_to', '_minMonthlyRate', ...amount], {
    unit: 'unit.tokens',
    texts: { contractAddress: { ...searchedContract, label: 'field.streamed' } },
  }),
  evm('ROLL', ['tokenSymbol', ...amount], { unit: 'unit.tokens' }),
  evm('MOLOCH', ['chainId', 'contractAddress', ...amount], {
    unit: 'unit.shares',
    texts: { contractAddress: { label: 'field.dao', sample: '0x…', hint: 'field.daoHint' } },
  }),
  evm('MOCA', amount, { unit: 'unit.moca' }),
  evm('staking', ['chainId', 'contractAddress', 'collectionName', ...amount], {
    unit: 'unit.staked',
    texts: {
      contractAddress: { label: 'field.staking', sample: '0x…', hint: 'field.stakingHint' },
      collectionName: {
        label: 'field.stakedCollection',
        placeholder: 'field.all',
        hint: 'field.stakedCollectionHint',
      },
    },
  }),
  evm('gnosis', ['chainId', 'contractAddress', '_owners'], {
    texts: { contractAddress: { label: 'field.safe', sample: '0x…', hint: 'field.safeHint' } },
  }),
  evm('CUSTOM_ABI', ['chainId', 'contractAddress', '_functionName', ...amount], {
    texts: {
      contractAddress: searchedContract,
      minToken: { label: 'field.resultAtLeast', sample: '1' },
      maxToken: { label: 'field.resultAtMost', placeholder: 'field.atMostPlaceholder' },
    },
  }),
  evm('NFTY.INK', ['contractAddress', 'tokenId'], { chainId: 1 }),
  other('SOLANA_FT', ['contractAddress', ...amount], { label: 'field.token', placeholder: 'field.mintPlaceholder' }),
  other('SOLANA_NFT', ['contractAddress', ...amount], {
    label: 'field.address',
    placeholder: 'field.addressPlaceholder',
  }),
  other('FLOW_FT', ['contractAddress', ...amount], flowPath),
  other('FLOW_NFT', ['contractAddress', 'tokenId', ...amount], flowPath),
  other('TEZOS_FA1.2', ['contractAddress', ...amount], tezosContract),
  other('TEZOS_FA2', ['contractAddress', 'tokenId', ...amount], tezosContract),
  other('RMRK', ['contractAddress', 'tokenId', ...amount], {
    label: 'field.collection',
    placeholder: 'field.rmrkPlaceholder',
  }),
  other('IMMUTABLE_X', ['contractAddress', 'tokenId', ...amount], collectionContract),
  other('LOOPRING_FT', ['contractAddress', ...amount], {
    label: 'field.loopringToken',
    sample: '0x…',
    hint: 'field.loopringTokenHint',
  }),
  other('LOOPRING_NFT', ['contractAddress', 'tokenId', ...amount], collectionContract),
  other('XRPL_FT', ['contractAddress', ...amount]),
  other('XRPL_NFT', ['contractAddress', 'tokenId', ...amount]),
  other('NEP141', ['contractAddress', ...amount], { label: 'field.tokenAccount', sample: 'token.near' }),
  other('NEP171', ['contractAddress', 'tokenId', ...amount], { label: 'field.collectionAccount', sample: 'art.near' }),
  {
    ...other('BITCOIN_ORDINALS', ['collectionName', 'tokenId', ...amount]),
    texts: {
      collectionName: {
        label: 'field.ordinals',
        placeholder: 'field.ordinalsPlaceholder',
        hint: 'field.ordinalsHint',
      },
      tokenId: { label: 'field.inscriptions', placeholder: 'field.any', hint: 'field.lists' },
    },
  },
  other('BRC20', ['tokenSymbol', ...amount]),
  {
    ...other('BITCOIN_STAMPS', ['contractAddress', 'tokenId', ...amount]),
    texts: {
      contractAddress: {
        label: 'field.creator',
        placeholder: 'field.creatorPlaceholder',
        hint: 'field.creatorHint',
      },
      tokenId: { label: 'field.stamps', placeholder: 'field.any', hint: 'field.lists' },
    },
  },
  other('TON_JETTON', ['contractAddress', ...amount], {
    label: 'field.jetton',
    sample: 'EQ…',
    hint: 'field.jettonHint',
  }),
  other('TON_NFT', ['contractAddress', 'tokenId', ...amount], { label: 'field.collection', sample: 'EQ…' }),
  other('NIFTY', ['contractAddress', 'tokenId', ...amount], collectionContract),
  person('POAP', ['eventId']),
  person('GALAXY', ['tokenId', ...amount], {
    unit: 'unit.nfts',
    texts: { tokenId: { label: 'field.campaigns', sample: 'GC1abc', hint: 'field.campaignsHint' } },
  }),
  person('GITCOIN_PASSPORT', amount, { unit: 'unit.points' }),
  person('TRUST_SWAP', ['_swapScore']),
  person('twitter', ['_filter'], {
    start: {
      scheme: 'twitter',
      asset: 'twitter:twitter/profile:data',
      variables: { _filter: { filters: [{ traits: [{ trait_type: 'followers_count', value: '$ >= 100' }] }] } },
    },
  }),
  person('GUESTPASS', ['_filter'], {
    start: {
      scheme: 'VC',
      type: 'GUESTPASS',
      asset: 'veramo:collabland/vc:vc',
      variables: { _filter: { filters: [{ condition: 'or', traits: [] }] } },
    },
  }),
  person('role_composition', ['roleComposition'], {
    start: {
      scheme: 'role_composition',
      variables: { roleComposition: { action: 'addOrRemove', operator: 'and', condition: {} } },
    },
  }),
];

const byName = new Map<string, Kind>(kinds.map((kind) => [kind.name.toUpperCase(), kind]));
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
  if (isGroup(node)) return t(groupTitles[node.kind]);
  const kind = kindOf(node.fields);
  return kind === undefined ? t('condition.title') : t(`kind.${kind.name}`);
}

export const groupTitles = {
  all: 'group.all',
  any: 'group.any',
  none: 'group.none',
  'at-least': 'group.atLeast',
} as const;
