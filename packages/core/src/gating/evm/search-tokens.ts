import { type Sql, sql } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { type KnownToken, knownTokens } from '../known-tokens/index.ts';
import { evmNetworks } from './networks.ts';
import type { EvmTokenRow, TokenStandard } from './token-queries.ts';
import type { TokenPlace } from './tokens.ts';

/** A token contract, as far as known. */
export interface TokenHit {
  chainId: number;
  address: string;
  standard: TokenStandard;
  name?: string;
  symbol?: string;
  decimals?: number;
}

type SearchContext = Pick<Context, 'settings' | 'tokenMetadata'>;

/** The EVM chains that this server reads. */
export function readChainIds({ settings, tokenMetadata }: SearchContext): number[] {
  const ids = [
    ...evmNetworks.map(({ chainId }) => chainId),
    ...(settings.evmChains ?? []).map(({ chainId }) => chainId),
  ];
  return [...new Set(ids)].filter((chainId) => tokenMetadata.reads(`evm:${chainId}`));
}

/**
 * Reads what a contract is on each of these chains. Chains that could not be read are listed separately: it may be a
 * token there.
 */
export async function findContract(
  { tokenMetadata }: Pick<Context, 'tokenMetadata'>,
  address: string,
  chainIds: readonly number[],
  signal: AbortSignal,
): Promise<{ hits: TokenHit[]; silent: number[] }> {
  const answers = await Promise.all(
    chainIds.map(async (chainId) => ({
      chainId,
      answers: await tokenMetadata.read(`evm:${chainId}`, [address], signal),
    })),
  );
  const hits: TokenHit[] = [];
  const silent: number[] = [];
  for (const {
    chainId,
    answers: [answer],
  } of answers) {
    if (answer?.kind !== 'read') silent.push(chainId);
    else if (answer.metadata.standard !== undefined)
      hits.push({ chainId, address, ...answer.metadata, standard: answer.metadata.standard });
  }
  return { hits, silent };
}

/** Reads the symbols of tokens whose contracts have not been read yet; tokens on an unavailable chain stay unnamed. */
export async function readSymbols(
  { tokenMetadata }: Pick<Context, 'tokenMetadata'>,
  places: readonly TokenPlace[],
  signal: AbortSignal,
): Promise<(place: TokenPlace) => string | undefined> {
  const names = new Map<string, string>();
  const requested = places.filter(
    ({ chain, contract }) => tokenMetadata.reads(chain) && /^0x[0-9a-f]{40}$/i.test(contract),
  );
  await Promise.all(
    [...Map.groupBy(requested, ({ chain }) => chain)].map(async ([chain, named]) => {
      const contracts = [...new Set(named.map(({ contract }) => contract.toLowerCase()))].slice(0, mostAsked);
      const answers = await tokenMetadata.read(chain, contracts, signal);
      for (const [index, contract] of contracts.entries()) {
        const answer = answers[index];
        const name = answer?.kind === 'read' ? (answer.metadata.symbol ?? answer.metadata.name) : undefined;
        if (name !== undefined) names.set(`${chain}/${contract}`, name);
      }
    }),
  );
  return ({ chain, contract }) => names.get(`${chain}/${contract.toLowerCase()}`);
}

const mostAsked = 50;

/** Tokens whose symbol or name starts with or contains the text, exact symbols first. */
export async function searchTokens(
  ctx: Pick<Context, 'db'>,
  text: string,
  chainIds: readonly number[],
  limit: number,
): Promise<TokenHit[]> {
  const wanted = text.toLowerCase();
  const rows = await selectLike(ctx.db.system, wanted, chainIds, limit);
  const named = rows.flatMap((row): TokenHit[] => {
    const standard = row.standard ?? row.expected_standard;
    if (standard === null) return [];
    return [
      {
        chainId: row.chain_id,
        address: row.address,
        standard,
        ...(row.name !== null && { name: row.name }),
        ...(row.symbol !== null && { symbol: row.symbol }),
        ...(row.decimals !== null && { decimals: row.decimals }),
      },
    ];
  });
  const seen = new Set(named.map(({ chainId, address }) => `${chainId}/${address}`));
  const known = chainIds.flatMap((chainId) => knownTokens(`evm:${chainId}`).map((token) => ({ ...token, chainId })));
  const others = known
    .filter((token) => isLike(token, wanted) && !seen.has(`${token.chainId}/${token.address}`))
    .map(
      ({ chain: _, ...token }): TokenHit => ({ ...token, standard: token.decimals === undefined ? 'erc721' : 'erc20' }),
    );
  return [...named, ...others].toSorted((a, b) => rankOf(a, wanted) - rankOf(b, wanted)).slice(0, limit);
}

function isLike({ symbol, name }: KnownToken, wanted: string): boolean {
  return symbol.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted);
}

function rankOf({ symbol = '', name = '' }: TokenHit, wanted: string): number {
  const [ticker, title] = [symbol.toLowerCase(), name.toLowerCase()];
  if (ticker === wanted || title === wanted) return 0;
  return ticker.startsWith(wanted) || title.startsWith(wanted) ? 1 : 2;
}

async function selectLike(db: Sql, wanted: string, chainIds: readonly number[], limit: number): Promise<EvmTokenRow[]> {
  const { rows } = await sql<EvmTokenRow>`
    select t.* from evm_tokens t
    where t.chain_id = any(${[...chainIds]}::bigint[])
      and (strpos(lower(t.symbol), ${wanted}) > 0 or strpos(lower(t.name), ${wanted}) > 0)
    order by length(t.name), t.chain_id, t.address limit ${limit}`.execute(db);
  return rows;
}
