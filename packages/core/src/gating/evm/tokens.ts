import type { Sql } from '@latchkey/db';
import { AppError, addMs, choice, notFound, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { findKnownToken, type KnownToken, knownTokens } from '../known-tokens/index.ts';
import { chainIdOf, evmNetworks } from './networks.ts';
import {
  claimDue,
  deleteToken,
  type EvmTokenRow,
  hideToken,
  insertTokens,
  saveMetadata,
  selectHidden,
  selectNamed,
  selectTokens,
  setIcon,
  type TokenStandard,
} from './token-queries.ts';

export const EvmTokenMetadata = record('EvmTokenMetadata', 'A token contract and its metadata.', {
  contractName: T.Optional(text('The contract’s name.')),
  address: T.Optional(text('The contract, in lower case.')),
  icon: T.Optional(text('The image URL, if the operator set one.')),
  tokenName: T.Optional(text('The token symbol.')),
  tokenSymbol: T.Optional(text('Its symbol.')),
  tokenType: T.Optional(choice('The standard it follows.', ['ERC20', 'ERC721', 'ERC1155'])),
  decimals: T.Optional(T.Number({ description: 'How many decimals an amount has.' })),
});

export type EvmTokenMetadata = ValueOf<typeof EvmTokenMetadata>;

const maxTokens = 1000;

const requestsAtOnce = 200;

const freshMs = 7 * 24 * 60 * 60 * 1000;

const retryMs = 5 * 60 * 1000;

type TokenContext = Pick<Context, 'clock' | 'db' | 'tokenMetadata'>;

type ChainContext = TokenContext & Pick<Context, 'settings'>;

/**
 * Returns the contracts that rules of this server name on a chain and those that the operator listed, followed by
 * well-known ones.
 */
export async function getEvmTokens(ctx: ChainContext, { network }: { network: string }): Promise<EvmTokenMetadata[]> {
  const chainId = chainIdOf(network);
  if (chainId === undefined) throw notFound('network');
  await askDue(ctx, chainId);
  const rows = await selectTokens(ctx.db.system, chainId, maxTokens);
  // A chain id that no chain has is refused as an unknown name is.
  if (rows.length === 0 && !isKnownChain(ctx, chainId)) throw notFound('network');
  const left = new Set([...rows.map(({ address }) => address), ...(await selectHidden(ctx.db.system, chainId))]);
  const known = knownTokens(`evm:${chainId}`).filter(({ address }) => !left.has(address));
  return [...rows.map(toMetadata), ...known.map(describeKnown)].slice(0, maxTokens);
}

function isKnownChain({ settings }: Pick<Context, 'settings'>, chainId: number): boolean {
  const configured = settings.evmChains ?? [];
  return [...evmNetworks, ...configured].some((chain) => chain.chainId === chainId);
}

function describeKnown({ address, symbol, name, decimals }: KnownToken): EvmTokenMetadata {
  return {
    address,
    contractName: name,
    tokenName: name,
    tokenSymbol: symbol,
    decimals,
    tokenType: decimals === undefined ? 'ERC721' : 'ERC20',
  };
}

/**
 * Reads the metadata of contracts that rules name. A contract is read only once in a while, however many callers there
 * are: the first one claims it.
 */
export async function askDue(ctx: TokenContext, chainId: number, signal?: AbortSignal): Promise<void> {
  const chain = `evm:${chainId}`;
  if (!ctx.tokenMetadata.reads(chain)) return;
  const now = ctx.clock();
  const retryAt = addMs(now, retryMs);
  const due = await claimDue(ctx.db.system, chainId, now, retryAt, requestsAtOnce);
  if (due.length === 0) return;
  const answers = await ctx.tokenMetadata.read(chain, due, signal);
  const freshUntil = addMs(now, freshMs);
  for (const [index, address] of due.entries()) {
    const answer = answers[index];
    if (answer?.kind === 'read') await saveMetadata(ctx.db.system, chainId, address, answer.metadata, freshUntil);
  }
}

function toMetadata(row: EvmTokenRow): EvmTokenMetadata {
  const standard = row.standard ?? row.expected_standard;
  return {
    address: row.address,
    contractName: row.name ?? undefined,
    tokenName: row.name ?? undefined,
    tokenSymbol: row.symbol ?? undefined,
    decimals: row.decimals ?? undefined,
    icon: row.icon ?? undefined,
    tokenType: standard === null ? undefined : typeNames[standard],
  };
}

/**
 * Returns the symbols of tokens, or else their names. With `asks`, contracts that were never read are read now; tokens
 * that cannot be read stay unnamed.
 */
export async function findTokenNames(
  ctx: TokenContext,
  tokens: readonly TokenPlace[],
  { asks }: { asks: boolean },
): Promise<(token: TokenPlace) => string | undefined> {
  const keys = [...new Set(tokens.map(tokenKey))];
  const read = async () =>
    (await selectNamed(ctx.db.system, keys)).filter(({ symbol, name }) => (symbol ?? name) !== null);
  let rows = await read();
  if (asks && rows.length < keys.length) {
    const chainIds = tokens.flatMap(({ chain }) => /^evm:([1-9]\d{0,14})$/.exec(chain)?.[1] ?? []);
    for (const chainId of new Set(chainIds)) await askDue(ctx, Number(chainId));
    rows = await read();
  }
  const names = new Map(rows.map((row) => [`evm:${row.chain_id}/${row.address}`, row.symbol ?? row.name ?? undefined]));
  return (token) => names.get(tokenKey(token));
}

/** The names and symbols of contracts, as far as they were read. */
export async function findTokenFacts(
  db: Sql,
  tokens: readonly TokenPlace[],
): Promise<(token: TokenPlace) => { name?: string; symbol?: string } | undefined> {
  const rows = await selectNamed(db, [...new Set(tokens.map(tokenKey))]);
  const facts = new Map(
    rows
      .filter(({ name, symbol }) => (name ?? symbol) !== null)
      .map(({ chain_id, address, name, symbol }) => [
        `evm:${chain_id}/${address}`,
        { ...(name !== null && { name }), ...(symbol !== null && { symbol }) },
      ]),
  );
  return (token) => facts.get(tokenKey(token));
}

export type TokenPlace = Pick<NamedToken, 'chain' | 'contract'>;

function tokenKey({ chain, contract }: TokenPlace): string {
  return `${chain}/${contract.toLowerCase()}`;
}

const typeNames = { erc20: 'ERC20', erc721: 'ERC721', erc1155: 'ERC1155' } as const satisfies Record<
  TokenStandard,
  string
>;

export interface NamedToken {
  /** In CAIP-2 form. */
  chain: string;
  standard: string;
  contract: string;
}

/** Stores the EVM contracts among the tokens that a rule names. */
export async function noteTokens(db: Sql, tokens: readonly NamedToken[], now: Date): Promise<void> {
  const rows = tokens.flatMap(({ chain, standard, contract }) => {
    const [, chainId] = /^evm:([1-9]\d{0,14})$/.exec(chain) ?? [];
    const address = contract.toLowerCase();
    if (chainId === undefined || !isStandard(standard) || !/^0x[0-9a-f]{40}$/.test(address)) return [];
    return [{ chain_id: Number(chainId), address, expected_standard: standard }];
  });
  await insertTokens(db, rows, now);
}

function isStandard(standard: string): standard is TokenStandard {
  return Object.hasOwn(typeNames, standard);
}

type ListContext = Pick<Context, 'actor' | 'clock' | 'db'>;

export interface ListedToken {
  /** The chain id, or a name of the chain. */
  network: string;
  address: string;
  /** The URL of a picture. */
  icon?: string;
}

/** Adds a token to GET /evm/{network}/tokens although no rule names it. For the operator. */
export async function listToken(ctx: ListContext, token: ListedToken): Promise<void> {
  const { chainId, address } = check(ctx, token);
  await ctx.db.transaction('system', async (tx) => {
    await insertTokens(tx, [{ chain_id: chainId, address, expected_standard: null }], ctx.clock());
    if (token.icon !== undefined) await setIcon(tx, chainId, address, token.icon);
  });
}

/** Removes a token from the list; a rule created later adds it again. For the operator. */
export async function unlistToken(ctx: ListContext, token: ListedToken): Promise<void> {
  const { chainId, address } = check(ctx, token);
  const isKnown = findKnownToken(`evm:${chainId}`, address) !== undefined;
  await ctx.db.transaction('system', async (tx) => {
    if (isKnown) await hideToken(tx, chainId, address, ctx.clock());
    if (!(await deleteToken(tx, chainId, address)) && !isKnown) throw notFound('token');
  });
}

function check(ctx: ListContext, { network, address }: ListedToken): { chainId: number; address: string } {
  if (ctx.actor.kind !== 'admin' && ctx.actor.kind !== 'system')
    throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator can list tokens.');
  const chainId = chainIdOf(network);
  if (chainId === undefined) throw notFound('network');
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    throw new AppError('INVALID_PARAMETER_VALUE', 'A token address is 0x followed by 40 hexadecimal digits.');
  return { chainId, address: address.toLowerCase() };
}
