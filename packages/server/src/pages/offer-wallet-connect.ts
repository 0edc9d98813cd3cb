import type { ConnectPage } from '@latchkey/kernel';
import type { Config } from '../config.ts';

const ethereum = 1;
/** Wallets show every chain that they are asked for. */
const maxChains = 20;

/** What the page that links wallets must know of WalletConnect; nothing, unless the operator chose it. */
export function offerWalletConnect(
  { walletConnect, evmRpcUrls }: Pick<Config, 'walletConnect' | 'evmRpcUrls'>,
  siteName: string,
): Pick<ConnectPage, 'walletConnect'> {
  if (walletConnect === undefined) return {};
  const read = [...evmRpcUrls.keys()].map(Number).filter((chainId) => Number.isSafeInteger(chainId));
  const evmChainIds = [...new Set([ethereum, ...read])].slice(0, maxChains);
  return { walletConnect: { ...walletConnect, siteName, evmChainIds } };
}
