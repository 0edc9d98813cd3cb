import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { type CommunityRuleRow, selectRules } from '../../communities/rule-records/index.ts';
import { PlatformFailed, type PlatformRole } from '../../ports/index.ts';
import { isErased } from '../../services/erasures/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn, type ServerMessages } from '../../shared/messages/index.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { assetsOf, openRules, type ReasonNames } from '../evaluation/index.ts';
import { evmNetworks, findTokenNames, type TokenPlace } from '../evm/index.ts';
import { parseCaipAsset } from '../rules/index.ts';

export { tokenLink } from './token-link.ts';

/** Display names of a community's roles, rules, tokens and members. */
export interface Names extends ReasonNames {
  member(userId: string): string;
}

type NameContext = Pick<Context, 'clock' | 'db' | 'hosts' | 'log' | 'tokenMetadata'>;

/**
 * Reads the names that sentences about these members and roles need. Things without a known name are shown by id. With
 * `asks`, contracts are asked for their symbol, which takes too long for a chat reply.
 */
export async function readNames(
  ctx: NameContext,
  community: CommunityRow,
  userIds: readonly string[],
  { asks = false, t = messagesIn(undefined) }: { asks?: boolean; t?: ServerMessages } = {},
): Promise<Names> {
  const [roles, rules, members] = await Promise.all([
    readRoles(ctx, community),
    selectRules(ctx.db.system, community.id),
    selectMembers(ctx.db.system, community.id, [...new Set(userIds)]),
  ]);
  const memberNames = new Map(members.map(({ user_id, user_name }) => [user_id, user_name]));
  return {
    ...(await nameReasons(ctx, { roles, rules, asks, t })),
    member: (userId) => plainName(memberNames.get(userId) ?? '') || memberId(community, userId),
  };
}

/** Reads the names of roles, rules and tokens for sentences about reasons. */
export async function nameReasons(
  ctx: Pick<Context, 'clock' | 'db' | 'tokenMetadata'>,
  {
    roles,
    rules,
    asks = false,
    t = messagesIn(undefined),
  }: {
    roles: ReadonlyMap<string, { name: string }>;
    rules: readonly CommunityRuleRow[];
    asks?: boolean;
    t?: ServerMessages;
  },
): Promise<ReasonNames> {
  const ruleNames = new Map(rules.map(({ id, definition }) => [id, nameIn(definition)]));
  const visibilities = new Map(rules.map(({ id, visibility }) => [id, visibility]));
  const token = await readTokenNames(ctx, assetsOf(openRules(rules)), { asks, t });
  return {
    t,
    role: (roleId) => plainName(roles.get(roleId)?.name ?? '') || `role ${roleId}`,
    rule: (ruleId) => plainName(ruleNames.get(ruleId) ?? '') || undefined,
    visibility: (ruleId) => visibilities.get(ruleId) ?? 'public',
    token,
  };
}

/**
 * Reads the names of the tokens in some rules, by the text that names the asset: `CAT on Ethereum`. `read` adds names
 * of tokens that no saved rule uses.
 */
export async function readTokenNames(
  ctx: Pick<Context, 'clock' | 'db' | 'tokenMetadata'>,
  assets: ReturnType<typeof assetsOf>,
  {
    asks,
    read,
    t = messagesIn(undefined),
  }: { asks: boolean; read?: (token: TokenPlace) => string | undefined; t?: ServerMessages },
): Promise<(asset: string) => string> {
  const places = assets.map(({ chain, reference }) => ({ chain, contract: reference }));
  const symbolOf = await findTokenNames(ctx, places, { asks });
  return (asset) => tokenInWords(asset, (place) => symbolOf(place) ?? read?.(place), t);
}

async function readRoles(ctx: NameContext, community: CommunityRow): Promise<ReadonlyMap<string, PlatformRole>> {
  try {
    const roles: readonly PlatformRole[] =
      (await ctx.hosts[community.platform]?.readRoles(community.community_id)) ?? [];
    return new Map(roles.map((role) => [role.id, role]));
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    ctx.log.warn('Could not read role names; showing ids instead.', {
      communityId: community.id,
      reason: error.message,
    });
    return new Map();
  }
}

function nameIn({ name }: Record<string, unknown>): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

function memberId({ platform }: CommunityRow, userId: string): string {
  if (isErased(userId)) return 'a deleted account';
  return nativeUserId(platform, userId) ?? (userId.startsWith('$') ? 'the operator' : userId);
}

/** Assets that are not tokens on a chain, by standard. */
const services: Readonly<Record<string, (reference: string) => string>> = {
  POAP: (drop) => `POAP drop ${drop}`,
  GALXE: (campaign) => `Galxe campaign ${campaign}`,
  SCORE: () => 'Gitcoin Passport points',
  TRUSTSWAP: () => 'SwapScore points',
  MOCA: () => 'staked MOCA',
  PROFILE: () => 'the X account',
  OPENSEA: (collection) => `NFT of ${collection} on OpenSea`,
};

/** What a token without a symbol is called by its contract, mint or collection. EVM standards go by their names. */
const kinds: Readonly<Record<string, 'token.token' | 'token.nft' | { label: string }>> = {
  FT: 'token.token',
  SPL: 'token.token',
  NEP141: 'token.token',
  'FA1.2': 'token.token',
  FA2: 'token.token',
  JETTON: { label: 'of the jetton' },
  BRC20: { label: 'of the BRC-20 token' },
  NFT: 'token.nft',
  METAPLEX: 'token.nft',
  NEP171: 'token.nft',
  RMRK: 'token.nft',
  IMMUTABLE_X: 'token.nft',
  NIFTY: 'token.nft',
  ORDINALS: { label: 'Ordinal of' },
  STAMPS: { label: 'Stamp of' },
};

const chains: Readonly<Record<string, string>> = {
  immutable_x: 'Immutable X',
  near: 'NEAR',
  nifty: 'Nifty Gateway',
  polkadot: 'Kusama',
  ton: 'TON',
  xrpl: 'XRP Ledger',
};

/** The display name of a condition's token, as written after a number: `CAT on Ethereum`. */
export function tokenInWords(
  asset: string,
  symbolOf: (token: TokenPlace) => string | undefined,
  t: ServerMessages = messagesIn(undefined),
): string {
  const parsed = parseCaipAsset(asset);
  if (parsed === undefined) return plainName(asset);
  const { chain, namespace, reference, tokenIds } = parsed;
  const service = services[namespace];
  if (service !== undefined) return service(plainName(shortReference(reference)));
  const symbol = plainName(symbolOf({ chain, contract: reference }) ?? '');
  const kind = namespace === 'NATIVE' ? t('token.native') : kindInWords(namespace, shortReference(reference), t);
  const ids = tokenIds === undefined ? '' : ` #${plainName(tokenIds)}`;
  return t('token.onChain', { token: `${symbol || plainName(kind)}${ids}`, chain: chainInWords(chain) });
}

function kindInWords(namespace: string, reference: string, t: ServerMessages): string {
  const kind = kinds[namespace] ?? { label: namespace };
  return typeof kind === 'string' ? t(kind, { reference }) : `${kind.label} ${reference}`;
}

/** The chain of the sample community, and the usual id of development chains. */
const localChain = 'evm:31337';

/** The display name of a chain. */
export function chainInWords(chain: string): string {
  const [namespace = '', reference = ''] = chain.split(':');
  const network = namespace === 'evm' ? evmNetworks.find(({ chainId }) => String(chainId) === reference) : undefined;
  if (network !== undefined) return network.description;
  if (chain === localChain) return 'Local test chain';
  return namespace === 'evm'
    ? `EVM chain ${reference}`
    : (chains[namespace] ?? plainName(namespace.charAt(0).toUpperCase() + namespace.slice(1)));
}

/** Shortens a contract address to its first and last characters; other references are short and stay whole. */
function shortReference(reference: string): string {
  return reference.length <= 20 ? reference : `${reference.slice(0, 6)}…${reference.slice(-4)}`;
}

const longestName = 64;

/**
 * Escapes a third-party name for a bot message: it cannot create a link, a mention or a line break, and does not look
 * like part of the surrounding sentence.
 */
export function plainName(name: string): string {
  const plain = name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[[\]<>`*|~\\"]/g, '')
    .replaceAll(/:\/\/|@(?=everyone|here)/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain.length <= longestName ? plain : `${plain.slice(0, longestName - 1)}…`;
}
