import { evmNetworks } from '../evm/index.ts';
import { parseCaipAsset } from '../rules/index.ts';

/** Where people can look at a token or a collection; undefined for those of which no public page is known. */
export function tokenLink(asset: string): string | undefined {
  const parsed = parseCaipAsset(asset);
  if (parsed === undefined) return undefined;
  const { chain, namespace, reference } = parsed;
  if (namespace === 'OPENSEA') return `https://opensea.io/collection/${encodeURIComponent(reference)}`;
  const [family, chainId] = chain.split(':');
  if (family !== 'evm' || !/^0x[0-9a-f]{40}$/i.test(reference)) return undefined;
  const explorer = evmNetworks.find((network) => String(network.chainId) === chainId)?.explorers[0];
  return explorer === undefined ? undefined : `${explorer}/token/${reference}`;
}
