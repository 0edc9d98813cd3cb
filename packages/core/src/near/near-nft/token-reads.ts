import { notFound, type Page, principalId } from '@latchkey/kernel';
import type { Near } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { accountsOf, contractsOf, findContract, marketsMadeHere } from './contract-queries.ts';
import { amountOf, type NearContext, viewOf, withNear } from './near-setup.ts';
import { type ChainToken, getTokenOf, nativeToken, readToken } from './sale-on-chain.ts';
import type { NEP171TokenMetadata, Token, TokenContract } from './token-records.ts';
import { withChainMetadata, writeContract, writeForeignContract } from './write-contract.ts';

export type ReadContext = NearContext & Pick<Context, 'keyring'>;

/** Returns a token contract, whether created here or not. */
export function getTokenContract(ctx: NearContext, { address }: { address: string }): Promise<TokenContract> {
  return withNear(ctx, (near) => describeContract(ctx, near, address));
}

export async function describeContract(ctx: NearContext, near: Near, address: string): Promise<TokenContract> {
  const reply = await viewOf(near, { contract: address, method: 'nft_metadata', what: 'token contract' });
  const row = await findContract(ctx.db.system, near.network, address);
  return row === undefined
    ? writeForeignContract(near, address, reply)
    : withChainMetadata(writeContract(ctx, row), reply);
}

export function getTokenById(ctx: NearContext, { address, id }: { address: string; id: string }): Promise<Token> {
  return withNear(ctx, async (near) => {
    const token = await getTokenOf(near, address, id);
    return writeToken(near, address, token, await describeContract(ctx, near, address));
  });
}

export function writeToken(
  { network }: Near,
  address: string,
  token: ChainToken,
  tokenContract?: TokenContract,
): Token {
  return {
    chainId: network,
    tokenAddress: address,
    id: token.tokenId,
    ownerAddress: token.owner,
    ...(tokenContract !== undefined && { tokenContract }),
    metadata: writeMetadata(token.metadata),
  };
}

const metadataFields = [
  'title',
  'description',
  'media',
  'media_hash',
  'copies',
  'issued_at',
  'expires_at',
  'starts_at',
  'updated_at',
  'extra',
  'reference',
  'reference_hash',
] as const satisfies readonly (keyof NEP171TokenMetadata)[];

/** Converts a contract's metadata of a token to the published form, as far as it matches. */
function writeMetadata(metadata: Readonly<Record<string, unknown>>): NEP171TokenMetadata {
  const known = metadataFields.flatMap((name): [string, string | number][] => {
    const value = metadata[name];
    return typeof value === 'string' || typeof value === 'number'
      ? [[name, name === 'copies' ? String(value) : value]]
      : [];
  });
  return Object.fromEntries(known);
}

/** A token of a contract, and its position in the list that it was read from. */
export interface Listed {
  address: string;
  index: number;
  token: ChainToken;
}

export function getTokens(
  ctx: ReadContext,
  { address, ...page }: { address: string } & PageRequest,
): Promise<Page<Token>> {
  return withNear(ctx, async (near) => {
    const found = await paginate(ctx, page, {
      list: `near-nft/tokens/${near.network}/${address}`,
      read: (after, limit) =>
        listTokens(near, address, { method: 'nft_tokens', args: {} }, Number(after?.[0] ?? -1) + 1, limit),
      cursorOf: ({ index }) => [String(index)],
    });
    return { ...found, items: found.items.map(({ token }) => writeToken(near, address, token)) };
  });
}

const tokensPerView = 100;

export async function listTokens(
  near: Near,
  address: string,
  { method, args }: { method: string; args: Record<string, unknown> },
  from: number,
  limit: number,
): Promise<Listed[]> {
  const span = { from_index: String(from), limit: Math.min(limit, tokensPerView + 1) };
  const found = await viewOf(near, { contract: address, method, args: { ...args, ...span }, what: 'token contract' });
  const tokens = Array.isArray(found) ? found : [];
  return tokens.flatMap((item, place) => {
    const token = readToken(item);
    return token === undefined ? [] : [{ address, index: from + place, token }];
  });
}

/** Returns the NEAR account of a user parameter: an account id unchanged, or the caller's own registered one. */
export async function accountOf(ctx: NearContext, near: Near, userId: string): Promise<string> {
  if (userId === principalId(ctx.actor)) {
    const [account] = await accountsOf(ctx.db.system, near.network, userId);
    if (account !== undefined) return account.account_id;
  }
  // Other users decide for themselves whether to show their NEAR account.
  if (!near.isAccountId(userId)) throw notFound('NEAR account');
  return userId;
}

export function getCreatedTokenContracts(
  ctx: ReadContext,
  { userId, ...page }: { userId: string } & PageRequest,
): Promise<Page<TokenContract>> {
  return withNear(ctx, async (near) => {
    const isOperator = ctx.actor.kind === 'admin' || ctx.actor.kind === 'system';
    const makerId = isOperator ? userId : principalId(ctx.actor);
    // Who created what here is visible to the creator and the operator; other lists are empty, as for an unknown user.
    if (!isOperator && userId !== makerId && !(await hasAccount(ctx, near, makerId, userId))) return { items: [] };
    const found = await paginate(ctx, page, {
      list: `near-nft/created/${near.network}/${makerId}`,
      read: (after, limit) => contractsOf(ctx.db.system, { network: near.network, makerId }, after, limit),
      cursorOf: ({ address }) => [address],
    });
    return { ...found, items: found.items.map((row) => writeContract(ctx, row)) };
  });
}

async function hasAccount(ctx: NearContext, near: Near, holderId: string, accountId: string): Promise<boolean> {
  const accounts = await accountsOf(ctx.db.system, near.network, holderId);
  return accounts.some((account) => account.account_id === accountId);
}

/** Returns an account's balance in NEAR, or in a fungible token that is given by its contract or symbol. */
export function getBalance(
  ctx: NearContext,
  { userId, erc20 }: { userId: string; erc20?: string | undefined },
): Promise<{ balance: string }> {
  return withNear(ctx, async (near) => {
    const account = await accountOf(ctx, near, userId);
    if (erc20 === undefined || erc20.toLowerCase() === nativeToken) {
      const found = await near.findAccount(account);
      if (found === undefined) throw notFound('NEAR account');
      return { balance: String(found.yocto) };
    }
    const contract = erc20.includes('.') ? erc20 : await contractOfSymbol(ctx, near, erc20);
    const request = { contract, method: 'ft_balance_of', args: { account_id: account }, what: 'fungible token' };
    return { balance: String(amountOf(await viewOf(near, request))) };
  });
}

const marketsSearched = 20;

/** Finds the fungible token with this symbol that a market created here accepts. */
async function contractOfSymbol(ctx: NearContext, near: Near, symbol: string): Promise<string> {
  const markets = await marketsMadeHere(ctx.db.system, near.network, marketsSearched);
  const names = [
    ...markets.map(({ address }) => address),
    ...(near.setup.defaultMarket ? [near.setup.defaultMarket] : []),
  ];
  for (const market of names) {
    const taken = await near.view(market, 'supported_ft_token_ids', {});
    const tokens = taken.kind === 'value' && Array.isArray(taken.value) ? taken.value.map(String) : [];
    for (const token of tokens.filter((candidate) => candidate !== nativeToken)) {
      const reply = await near.view(token, 'ft_metadata', {});
      if (reply.kind === 'value' && String(Object(reply.value).symbol).toLowerCase() === symbol.toLowerCase())
        return token;
    }
  }
  throw notFound('fungible token');
}
