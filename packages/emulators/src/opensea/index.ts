import { escapeHtml, writePage } from '../http/html.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface OpenSeaState {
  apiKey: string;
  collections: { slug: string; contracts: { address: string; chain: string }[] }[];
  tokens: { owner: string; chain: string; slug: string; identifier: string }[];
  /** The profiles of accounts. */
  accounts: { address: string; username?: string; bio?: string }[];
}

export interface OpenSeaEmulator extends HttpEmulator {
  state: OpenSeaState;
}

const chains = ['ethereum', 'matic', 'base', 'arbitrum', 'optimism', 'avalanche', 'zora', 'ronin', 'abstract'];
const maxLimit = 200;

export interface OpenSeaOptions extends EmulatorAddress {
  apiKey?: string;
}

/**
 * Starts OpenSea's API, version 2: tokens of accounts page by page, collections, and profiles. Its settings page changes
 * the profile of an account.
 */
export async function startOpenSeaEmulator({
  apiKey = 'opensea-key',
  ...address
}: OpenSeaOptions = {}): Promise<OpenSeaEmulator> {
  const state: OpenSeaState = { apiKey, collections: [], tokens: [], accounts: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: OpenSeaState, request: EmulatorRequest): EmulatorReply {
  const { path, query, headers } = request;
  if (path === '/account/settings') return editProfile(state, request);
  if (headers['x-api-key'] !== state.apiKey) return failed(401, 'Expected a valid API key');
  const [, slug] = /^\/api\/v2\/collections\/([^/]+)$/.exec(path) ?? [];
  if (slug !== undefined) {
    const found = state.collections.find((collection) => collection.slug === slug);
    return found
      ? { body: { collection: slug, name: slug, contracts: found.contracts } }
      : failed(404, `Collection ${slug} not found`);
  }
  const [, account] = /^\/api\/v2\/accounts\/([^/]+)$/.exec(path) ?? [];
  if (account !== undefined) return readAccount(state, account);
  const [, chain = '', owner] = /^\/api\/v2\/chain\/([^/]+)\/account\/([^/]+)\/nfts$/.exec(path) ?? [];
  if (owner === undefined) return failed(404, 'Not Found');
  if (!chains.includes(chain)) return failed(400, `Invalid chain: ${chain}`);
  const limit = Number(query.get('limit') ?? 50);
  if (!(limit >= 1 && limit <= maxLimit)) return failed(400, 'limit must be between 1 and 200');
  return { body: listTokens(state, { chain, owner, limit }, query) };
}

/** The page on which the owner of an account writes its profile. The emulator asks for no signature. */
function editProfile({ accounts }: OpenSeaState, { method, text }: EmulatorRequest): EmulatorReply {
  const given = new URLSearchParams(text);
  const address = given.get('address')?.trim() ?? '';
  const isSent = method === 'POST';
  const isValid = /^0x[0-9a-fA-F]{40}$/.test(address);
  if (isSent && isValid) {
    const bio = given.get('bio') ?? '';
    const known = accounts.find((account) => account.address.toLowerCase() === address.toLowerCase());
    if (known === undefined) accounts.push({ address, bio });
    else known.bio = bio;
  }
  const said = isSent
    ? `<p>${isValid ? `Saved the profile of ${escapeHtml(address)}.` : 'That is no account.'}</p>`
    : '';
  const form = `<form method="post"><label>Account <input name="address" size="44"></label>
<label>Bio <input name="bio" size="60"></label> <button>Save</button></form>`;
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  return { status: isSent && !isValid ? 400 : 200, headers, body: writePage('Profile', `${said}${form}`) };
}

/** An account is requested by its address or its name. */
function readAccount(state: OpenSeaState, requested: string): EmulatorReply {
  const wanted = requested.toLowerCase();
  const found = state.accounts.find(
    ({ address, username }) => address.toLowerCase() === wanted || username?.toLowerCase() === wanted,
  );
  if (found === undefined) return failed(404, `Account ${requested} not found`);
  const { address, username = '', bio = '' } = found;
  return {
    body: {
      address: address.toLowerCase(),
      username,
      profile_image_url: '',
      banner_image_url: '',
      website: '',
      social_media_accounts: [],
      bio,
      joined_date: '2022-01-01',
    },
  };
}

function listTokens(
  state: OpenSeaState,
  { chain, owner, limit }: { chain: string; owner: string; limit: number },
  query: URLSearchParams,
) {
  const slug = query.get('collection');
  const held = state.tokens.filter(
    (token) =>
      token.chain === chain &&
      token.owner.toLowerCase() === owner.toLowerCase() &&
      (slug === null || token.slug === slug),
  );
  const start = Number(Buffer.from(query.get('next') ?? '', 'base64url').toString() || 0);
  const nfts = held.slice(start, start + limit).map((token) => ({
    identifier: token.identifier,
    collection: token.slug,
    contract: state.collections.find((collection) => collection.slug === token.slug)?.contracts[0]?.address ?? '',
    token_standard: 'erc721',
    name: `${token.slug} ${token.identifier}`,
    metadata_url: `https://example.com/${token.slug}/${token.identifier}`,
    is_disabled: false,
    is_nsfw: false,
  }));
  const next = start + limit;
  return { nfts, ...(next < held.length && { next: Buffer.from(String(next)).toString('base64url') }) };
}

function failed(status: number, error: string): EmulatorReply {
  return { status, body: { errors: [error] } };
}
