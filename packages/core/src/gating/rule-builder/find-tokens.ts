import { ownCommunity } from '../../communities/access/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  askDue,
  chainIdOf,
  evmNetworks,
  findContract,
  readChainIds,
  searchTokens,
  type TokenHit,
} from '../evm/index.ts';
import { findKnownToken, type KnownToken, knownTokens } from '../known-tokens/index.ts';
import { chainInWords, plainName } from '../naming/index.ts';
import { addHolders } from './held-tokens.ts';
import type { FoundToken, TokenSearch } from './shapes.ts';

interface Search {
  communityId: string;
  search: string;
  chainId?: number | undefined;
  type?: string | undefined;
}

const solana = 'solana:mainnet-beta';
const most = 50;
const timeoutMs = 6_000;

/** Finds tokens by contract address, by a link to a marketplace or block explorer, or by name or symbol. */
export async function findTokens(ctx: Context, { communityId, ...requested }: Search): Promise<TokenSearch> {
  const community = await ownCommunity(ctx, communityId);
  const { tokens, ...more } = await search(ctx, requested);
  return { tokens: await addHolders(ctx, community.id, tokens), ...more };
}

async function search(
  ctx: Context,
  { search: typed, chainId, type }: Omit<Search, 'communityId'>,
): Promise<TokenSearch> {
  const text = typed.trim();
  if (type?.toUpperCase().startsWith('SOLANA')) return onSolana(text);
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && readsSolana(ctx)) return onSolana(text);
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return byAddress(ctx, { address: text.toLowerCase() }, chainId);
  const link = readTokenLink(text);
  if (link?.address !== undefined) return byAddress(ctx, link, chainId ?? link.chainId);
  if (link?.collectionName !== undefined) return { tokens: [openSea(link.collectionName)] };
  if (link?.eventId !== undefined) return { tokens: [poap(link.eventId)] };
  if (link !== undefined && /[/]/.test(text))
    return {
      tokens: [],
      note: 'This link does not lead to a token. Open the token or its collection there and copy that link.',
    };
  return byName(ctx, text, { chainId, isEvm: type !== undefined });
}

function readsSolana({ holdings }: Context): boolean {
  return holdings.reads({ chain: solana, standard: 'spl' });
}

/** Mints are not asked for their names, so that only well-known ones have one. */
function onSolana(text: string): TokenSearch {
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text))
    return { tokens: [showSolana(findKnownToken(solana, text) ?? { address: text })] };
  const tokens = likeOnSolana(text);
  return tokens.length > 0 ? { tokens } : { tokens, note: 'No token found with this name. Paste its mint address.' };
}

function likeOnSolana(text: string): FoundToken[] {
  const wanted = text.toLowerCase();
  const rank = ({ symbol, name }: KnownToken) =>
    [symbol.toLowerCase(), name.toLowerCase()].includes(wanted) ? 0 : Number(!symbol.toLowerCase().startsWith(wanted));
  return knownTokens(solana)
    .filter(({ symbol, name }) => `${symbol}\n${name}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, most)
    .map(showSolana);
}

function showSolana({ address, name, symbol, decimals }: Partial<KnownToken> & { address: string }): FoundToken {
  return {
    type: 'SOLANA_FT',
    chainName: chainInWords(solana),
    contractAddress: address,
    ...(name !== undefined && { name: plainName(name) }),
    ...(symbol !== undefined && { symbol: plainName(symbol) }),
    ...(decimals !== undefined && { decimals }),
  };
}

async function byAddress(ctx: Context, link: LinkedToken, wanted: number | undefined): Promise<TokenSearch> {
  const { address = '', tokenId } = link;
  const chainIds = readChainIds(ctx);
  if (wanted !== undefined && !chainIds.includes(wanted))
    return { tokens: [], note: `This server does not read ${nameOf(wanted)}. Ask its operator to add the chain.` };
  const { hits, silent } = await findContract(ctx, address, chainIds, AbortSignal.timeout(timeoutMs));
  const there = wanted === undefined ? hits : hits.filter(({ chainId }) => chainId === wanted);
  const unrequested = silent.filter((chainId) => wanted === undefined || chainId === wanted);
  const note = there.length === 0 ? whyNone(hits, unrequested, wanted) : saySilent(unrequested);
  const tokens = there.map((hit) => ({ ...show(hit), ...(tokenId !== undefined && { tokenId }) }));
  return { tokens, ...(note !== undefined && { note }) };
}

function whyNone(hits: readonly TokenHit[], silent: readonly number[], wanted: number | undefined): string {
  const elsewhere = hits.map(({ chainId, standard }) => `${titles[standard]} on ${nameOf(chainId)}`);
  if (wanted !== undefined && elsewhere.length > 0)
    return `There is no token at this address on ${nameOf(wanted)}. It is ${elsewhere.join(' and ')}: choose that chain.`;
  const unrequested = saySilent(silent);
  if (unrequested !== undefined) return `${unrequested} The token may be there.`;
  const place = wanted === undefined ? 'any chain that this server reads' : nameOf(wanted);
  return `There is no token at this address on ${place}. Check that you copied the contract address, not a wallet’s.`;
}

function saySilent(silent: readonly number[]): string | undefined {
  if (silent.length === 0) return undefined;
  return `${new Intl.ListFormat('en').format(silent.map(nameOf))} did not respond.`;
}

interface Place {
  chainId: number | undefined;
  /** Only EVM chains are wanted. */
  isEvm: boolean;
}

async function byName(ctx: Context, text: string, { chainId: wanted, isEvm }: Place): Promise<TokenSearch> {
  const chainIds = readChainIds(ctx).filter((chainId) => wanted === undefined || chainId === wanted);
  const search = () => searchTokens(ctx, text, chainIds, most);
  let hits = text.length < 2 ? [] : await search();
  if (hits.length === 0 && text.length >= 2) {
    // A token that a rule uses may not have been asked for its name yet.
    const signal = AbortSignal.timeout(timeoutMs);
    await Promise.all(chainIds.map((chainId) => askDue(ctx, chainId, signal)));
    hits = await search();
  }
  const others = isEvm || wanted !== undefined || text.length < 2 || !readsSolana(ctx) ? [] : likeOnSolana(text);
  const tokens = [...hits.map(show), ...others].slice(0, most);
  if (tokens.length > 0) return { tokens };
  return { tokens: [], note: 'No token found with this name. Paste its contract address or a link to it.' };
}

const titles = { erc20: 'ERC20', erc721: 'ERC721', erc1155: 'ERC1155' } as const satisfies Record<
  TokenHit['standard'],
  string
>;

function show({ chainId, address, standard, name, symbol, decimals }: TokenHit): FoundToken {
  return {
    type: titles[standard],
    chainId,
    chainName: nameOf(chainId),
    contractAddress: address,
    ...(name !== undefined && { name: plainName(name) }),
    ...(symbol !== undefined && { symbol: plainName(symbol) }),
    ...(decimals !== undefined && { decimals }),
  };
}

function openSea(collectionName: string): FoundToken {
  const name = plainName(collectionName);
  return { type: 'OPEN_SEA', chainId: 1, chainName: 'OpenSea', collectionName: collectionName.slice(0, 200), name };
}

function poap(eventId: string): FoundToken {
  return { type: 'POAP', chainName: 'POAP', eventId, name: `POAP drop ${eventId}` };
}

function nameOf(chainId: number): string {
  return chainInWords(`evm:${chainId}`);
}

/** What a web link refers to: a contract, possibly with its chain and a token, or a collection by name. */
interface LinkedToken {
  address?: string;
  chainId?: number;
  tokenId?: string;
  /** An OpenSea collection. */
  collectionName?: string;
  /** A POAP drop. */
  eventId?: string;
}

const addressPattern = /0x[0-9a-fA-F]{40}/;

/**
 * Parses a link to a token on a marketplace or block explorer; all of them have the contract in the path. The link is
 * parsed as text and never opened. Undefined if it is not a link, empty if it names no token.
 */
export function readTokenLink(text: string): LinkedToken | undefined {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || !/^[-a-z0-9]+(\.[-a-z0-9]+)+$/i.test(url.hostname) || !/[./]/.test(text)) return undefined;
  const host = url.hostname.replace(/^www\./, '').toLowerCase();
  const parts = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  if (host === 'opensea.io' && parts[0] === 'collection' && parts[1] !== undefined) return { collectionName: parts[1] };
  if (/^(collectors\.)?poap\.(gallery|xyz)$/.test(host)) return readPoap(parts);
  const index = parts.findIndex((part) => addressPattern.test(part));
  const part = parts[index];
  if (part === undefined) return {};
  const [address = ''] = addressPattern.exec(part) ?? [];
  const tokenId = [/0x[0-9a-fA-F]{40}:(\d{1,78})$/.exec(part)?.[1], parts[index + 1]].find((id) =>
    /^\d{1,78}$/.test(id ?? ''),
  );
  const chainId = chainOfHost(host) ?? chainAmong([...parts.slice(0, index), part.split(':')[0] ?? '']);
  return {
    address: address.toLowerCase(),
    ...(chainId !== undefined && { chainId }),
    ...(tokenId !== undefined && { tokenId }),
  };
}

function readPoap(parts: readonly string[]): LinkedToken {
  const eventId = parts.find((part) => /^\d{1,12}$/.test(part));
  return eventId === undefined ? {} : { eventId };
}

function chainOfHost(host: string): number | undefined {
  return evmNetworks.find(({ explorers }) => explorers.some((explorer) => URL.parse(explorer)?.hostname === host))
    ?.chainId;
}

/** Marketplaces put the chain before the contract. Only names count: a number may mean anything. */
function chainAmong(parts: readonly string[]): number | undefined {
  return parts.flatMap((part) => (/^[a-z][-a-z]*$/i.test(part) ? (chainIdOf(part) ?? []) : [])).at(0);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
