import { chainIdOf, evmNetworks } from '../evm/index.ts';

/** What an address in the web names: a contract, maybe with its chain and a token, or a collection by its name. */
export interface LinkedToken {
  address?: string;
  chainId?: number;
  tokenId?: string;
  /** A collection of OpenSea. */
  collectionName?: string;
  /** A drop of POAP. */
  eventId?: string;
}

const addressPattern = /0x[0-9a-fA-F]{40}/;

/**
 * Reads a link to a token: of a marketplace or a block explorer, which all have the contract in their path. The link is
 * read as text and never opened. Undefined for what is no link, empty for one that names no token.
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

/** Marketplaces put the chain before the contract: by its name, never by a number, which may be anything. */
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
