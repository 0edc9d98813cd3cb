import { AppError, maxPageSize, notFound, type Page } from '@latchkey/kernel';
import type { Near } from '../../ports/index.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { contractsHeldIn, type NearMint } from '../near-indexer/index.ts';
import { contractsOfClass, tokenContractsFrom } from './contract-queries.ts';
import { isIndexed, mintsOf } from './mint-facts.ts';
import { type NearContext, withNear } from './near-setup.ts';
import { accountOf, describeContract, type Listed, listTokens, type ReadContext } from './token-reads.ts';
import type { TokenContract } from './token-records.ts';
import { writeContract } from './write-contract.ts';

/**
 * Converts a token to the form of a contract, in which these lists are published. Hash and time are those of its mint.
 */
function asContract(contract: TokenContract, { address, token }: Listed, mint: NearMint | undefined): TokenContract {
  const { title, reference } = Object(token.metadata);
  const { transactionHash: _madeBy, createdTime: _madeAt, ...rest } = contract;
  return {
    ...rest,
    ...(mint !== undefined && { transactionHash: mint.transactionHash, createdTime: mint.at.toISOString() }),
    id: token.tokenId,
    sk: `TOKEN#${address}#${token.tokenId}`,
    classifier: 'TOKEN',
    classifierGroup: 'TOKEN',
    type: token.type ?? 'NEP171',
    ...(typeof title === 'string' && { name: title.slice(0, 1024) }),
    ...(typeof reference === 'string' && { metadataUrl: reference.slice(0, 2048) }),
    owner: token.owner,
    tokenAddress: address,
  };
}

async function writeTokens(
  ctx: NearContext,
  near: Near,
  contract: TokenContract,
  listed: readonly Listed[],
): Promise<TokenContract[]> {
  const [first] = listed;
  if (first === undefined) return [];
  const tokenIds = listed.map(({ token }) => token.tokenId);
  const mints = await mintsOf(ctx, near, first.address, tokenIds);
  return listed.map((item) => asContract(contract, item, mints.get(item.token.tokenId)));
}

const ownedBy = (account: string) => ({ method: 'nft_tokens_for_owner', args: { account_id: account } });

export function getOwnedTokensByContract(
  ctx: ReadContext,
  { userId, address, ...page }: { userId: string; address: string } & PageRequest,
): Promise<Page<TokenContract>> {
  return withNear(ctx, async (near) => {
    const account = await accountOf(ctx, near, userId);
    const contract = await describeContract(ctx, near, address);
    const found = await paginate(ctx, page, {
      list: `near-nft/owned/${near.network}/${account}/${address}`,
      read: (after, limit) => listTokens(near, address, ownedBy(account), Number(after?.[0] ?? -1) + 1, limit),
      cursorOf: ({ index }) => [String(index)],
    });
    return { ...found, items: await writeTokens(ctx, near, contract, found.items) };
  });
}

/** Lists an account's tokens in every token contract that was created here, and in those that the index saw it with. */
export function getOwnedTokens(
  ctx: ReadContext,
  { userId, ...page }: { userId: string } & PageRequest,
): Promise<Page<TokenContract>> {
  return withNear(ctx, async (near) => {
    const account = await accountOf(ctx, near, userId);
    const found = await paginate(ctx, page, {
      list: `near-nft/owned/${near.network}/${account}`,
      read: (after, limit) => readOwned(ctx, near, account, after, limit),
      cursorOf: ({ address, index }) => [address, String(index)],
    });
    const items: TokenContract[] = [];
    for (const [address, listed] of Map.groupBy(found.items, (item) => item.address)) {
      const contract = await unlessRefused(describeContract(ctx, near, address));
      items.push(...(await writeTokens(ctx, near, contract ?? {}, listed)));
    }
    return { ...found, items };
  });
}

const contractsAtATime = 50;
/** Anyone can make a contract name an account; at most this many are read. */
const maxForeignContracts = 50;

async function readOwned(
  ctx: NearContext,
  near: Near,
  account: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<Listed[]> {
  const [fromAddress = '', afterIndex] = after ?? [];
  const seen = isIndexed(ctx, near) ? await contractsHeldIn(ctx.db.system, account, 'nft', maxForeignContracts) : [];
  const owned: Listed[] = [];
  let place = { address: fromAddress, isAfter: false };
  for (;;) {
    const made = (await tokenContractsFrom(ctx.db.system, near.network, place, contractsAtATime)).map(
      (row) => row.address,
    );
    const last = made.length < contractsAtATime ? undefined : made.at(-1);
    const between = seen.filter(
      (address) =>
        (place.isAfter ? address > place.address : address >= place.address) && (last === undefined || address <= last),
    );
    for (const address of [...new Set([...made, ...between])].sort()) {
      const from = address === fromAddress && afterIndex !== undefined ? Number(afterIndex) + 1 : 0;
      owned.push(
        ...((await unlessRefused(listTokens(near, address, ownedBy(account), from, limit - owned.length))) ?? []),
      );
      if (owned.length >= limit) return owned;
    }
    if (last === undefined) return owned;
    place = { address: last, isAfter: true };
  }
}

/** Undefined when the contract is gone or fails: that hides only its own tokens. */
async function unlessRefused<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'ENTITY_NOT_FOUND' || error.code === 'STATE_CONFLICT'))
      return undefined;
    throw error;
  }
}

/** Lists the tokens of a contract, or the contracts that were created under one classification. */
export function getTokensByCollectionId(
  ctx: ReadContext,
  { collectionId, limit = maxPageSize, paginationToken }: { collectionId: string } & PageRequest,
): Promise<Page<TokenContract>> {
  const page = { limit, paginationToken };
  return withNear(ctx, async (near) => {
    const of = { network: near.network, classification: collectionId };
    if ((await contractsOfClass(ctx.db.system, of, undefined, 1)).length > 0) {
      const found = await paginate(ctx, page, {
        list: `near-nft/class/${near.network}/${collectionId}`,
        read: (after, most) => contractsOfClass(ctx.db.system, of, after?.[0], most),
        cursorOf: ({ address }) => [address],
      });
      return { ...found, items: found.items.map((row) => writeContract(ctx, row)) };
    }
    if (!near.isAccountId(collectionId)) throw notFound('collection');
    const contract = await describeContract(ctx, near, collectionId);
    const found = await paginate(ctx, page, {
      list: `near-nft/collection/${near.network}/${collectionId}`,
      read: (after, most) =>
        listTokens(near, collectionId, { method: 'nft_tokens', args: {} }, Number(after?.[0] ?? -1) + 1, most),
      cursorOf: ({ index }) => [String(index)],
    });
    return { ...found, items: await writeTokens(ctx, near, contract, found.items) };
  });
}
