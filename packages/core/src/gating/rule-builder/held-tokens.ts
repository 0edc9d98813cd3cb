import { op, type Page, pageOf, pageParams } from '@latchkey/kernel';
import { communityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { selectPresent, walletsInCommunity } from '../../communities/memberships/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { askDue, findTokenFacts } from '../evm/index.ts';
import { type HeldAsset, type MemberWallet, selectHeldAssets } from '../holdings/index.ts';
import { findKnownToken } from '../known-tokens/index.ts';
import { chainInWords, plainName } from '../naming/index.ts';
import { FoundToken } from './shapes.ts';

export const heldTokenOperations = [
  op(
    'GET /latchkey/communities/{communityId}/held-tokens',
    {
      id: 'listHeldTokens',
      summary: 'List tokens that members hold',
      description:
        'Returns tokens and collections that wallets linked in a community held when they were last read, with how many members hold each, never who. Only tokens that a rule on this server asks about are read; in very large communities the first 10,000 members are counted. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam, ...pageParams },
      returns: pageOf(FoundToken, 'HeldTokenPage'),
      paginated: 'token',
    },
    listHeldTokens,
  ),
] as const;

export async function listHeldTokens(
  ctx: Context,
  { communityId, ...request }: { communityId: string } & PageRequest,
): Promise<Page<FoundToken>> {
  const { id } = await ownCommunity(ctx, communityId);
  const wallets = await readMemberWallets(ctx, id);
  const page = await paginate(ctx, request, {
    list: `held-tokens:${id}`,
    read: (after, limit) => selectHeldAssets(ctx.db.system, wallets, { after, limit }),
    cursorOf: ({ chain, reference }) => [chain, reference],
  });
  return { ...page, items: await describeHeld(ctx, page.items) };
}

/** How many members hold each of these tokens; absent for those that were not read. */
export async function addHolders(
  ctx: Pick<Context, 'db' | 'settings'>,
  communityId: string,
  tokens: readonly FoundToken[],
): Promise<FoundToken[]> {
  const places = tokens.map(placeOf);
  const among = places.filter((place) => place !== undefined);
  if (among.length === 0) return [...tokens];
  const wallets = await readMemberWallets(ctx, communityId);
  const held = await selectHeldAssets(ctx.db.system, wallets, { among, limit: among.length });
  return tokens.map((token, index) => {
    const place = places[index];
    const found = held.find(({ chain, reference }) => chain === place?.chain && reference === place.reference);
    return found === undefined ? token : { ...token, holders: found.holders };
  });
}

function placeOf({ type, chainId, contractAddress }: FoundToken): { chain: string; reference: string } | undefined {
  if (contractAddress === undefined) return undefined;
  const chain = type.startsWith('SOLANA') ? 'solana:mainnet-beta' : `evm:${chainId}`;
  return { chain, reference: contractAddress };
}

const membersAtOnce = 2_500;
const mostMembers = 10_000;

/** The wallets that count in a community, of its first members. */
async function readMemberWallets(ctx: Pick<Context, 'db' | 'settings'>, communityId: string): Promise<MemberWallet[]> {
  const wallets: MemberWallet[] = [];
  let after = '';
  for (let read = 0; read < mostMembers; read += membersAtOnce) {
    const page = await selectPresent(ctx.db.system, communityId, after, membersAtOnce);
    const ids = page.map(({ user_id }) => user_id);
    const linked = await walletsInCommunity(ctx.db.system, communityId, ids, ctx.settings);
    for (const [userId, owned] of linked) wallets.push(...owned.map(({ address }) => ({ userId, account: address })));
    after = ids.at(-1) ?? '';
    if (page.length < membersAtOnce) break;
  }
  return wallets;
}

const types: Readonly<Record<string, string>> = {
  erc20: 'ERC20',
  erc721: 'ERC721',
  erc1155: 'ERC1155',
  spl: 'SOLANA_FT',
  metaplex: 'SOLANA_NFT',
};

const timeoutMs = 6_000;

async function describeHeld(
  ctx: Pick<Context, 'clock' | 'db' | 'tokenMetadata'>,
  assets: readonly HeldAsset[],
): Promise<FoundToken[]> {
  const places = assets.map(({ chain, reference }) => ({ chain, contract: reference }));
  let factsOf = await findTokenFacts(ctx.db.system, places);
  const unnamed = places.filter((place) => factsOf(place) === undefined);
  const chainIds = unnamed.flatMap(({ chain }) => /^evm:([1-9]\d{0,14})$/.exec(chain)?.[1] ?? []);
  if (chainIds.length > 0) {
    // A token that a rule uses may not have been asked for its name yet.
    const signal = AbortSignal.timeout(timeoutMs);
    await Promise.all([...new Set(chainIds)].map((chainId) => askDue(ctx, Number(chainId), signal)));
    factsOf = await findTokenFacts(ctx.db.system, places);
  }
  return assets.map(({ chain, reference, standard, holders }) => {
    const { name, symbol } = factsOf({ chain, contract: reference }) ?? findKnownToken(chain, reference) ?? {};
    const [, chainId] = /^evm:([1-9]\d{0,14})$/.exec(chain) ?? [];
    return {
      type: types[standard] ?? standard.toUpperCase(),
      ...(chainId !== undefined && { chainId: Number(chainId) }),
      chainName: chainInWords(chain),
      contractAddress: reference,
      ...(name !== undefined && { name: plainName(name) }),
      ...(symbol !== undefined && { symbol: plainName(symbol) }),
      holders,
    };
  });
}
