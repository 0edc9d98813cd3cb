import { normalizeChain } from './chain-ids.ts';
import type { Asset } from './rule.ts';

/** An asset in CAIP-19 notation, with decoded parts. */
export interface CaipAsset {
  /** In canonical form: `evm:1`, never `eip155:1` or `evm:mainnet`. */
  chain: string;
  /** `ERC20`, `NFT` … */
  namespace: string;
  reference: string;
  tokenIds?: string;
}

const pattern = /^([-a-zA-Z0-9._]{2,16}):([-a-zA-Z0-9._]{1,32})\/([-a-zA-Z0-9._]{2,16}):([^/?]{1,384})(?:\/([^?]+))?$/;

/** Parses an asset type (`evm:1/ERC20:0x…`) or an asset id (`evm:1/ERC721:0x…/7`). */
export function parseCaipAsset(text: string): CaipAsset | undefined {
  // Old rules have the RPC URL they were created with after a question mark.
  const plain = text.trim().replace(/\?(?:rpcUrl|indexerUrl)=.*$/, '');
  const [, chainNamespace, chainReference, namespace, reference, tokenIds] = pattern.exec(plain) ?? [];
  if (namespace === undefined || reference === undefined) return undefined;
  const decoded = decode(reference);
  const ids = tokenIds === undefined ? undefined : decode(tokenIds);
  if (decoded === undefined || (tokenIds !== undefined && ids === undefined)) return undefined;
  return {
    chain: normalizeChain(`${chainNamespace}:${chainReference}`),
    namespace,
    reference: decoded,
    ...(ids !== undefined && { tokenIds: ids }),
  };
}

/** The name of an asset, for people and for queries. */
export function formatAsset({ chain, standard, reference, tokenIds }: Asset): string {
  const ids = tokenIds === undefined ? '' : `/${'url' in tokenIds ? encodeURIComponent(tokenIds.url) : tokenIds.text}`;
  return `${chain}/${standard.toUpperCase()}:${encodeURIComponent(reference)}${ids}`;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
