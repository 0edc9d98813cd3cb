/** A wallet app whose maker publishes a link that opens a page in its own browser. */
export interface WalletApp {
  name: string;
  /** What wallets of the app can prove here. */
  namespaces: readonly string[];
  /** How the app names itself to pages (EIP-6963), so that it is not offered where it is present already. */
  rdns?: string;
  link(url: URL, namespaces: readonly string[]): string;
  /** The link by https that starts a pairing by WalletConnect in the app; absent where its maker publishes none. */
  pair?(uri: string): string;
}

const encoded = ({ href }: URL) => encodeURIComponent(href);

/**
 * Only forms that the makers of the apps document or, for Rainbow, that the published source of the app reads. They work
 * when a person taps a link; a script that goes there lands in a store instead.
 */
const walletApps: readonly WalletApp[] = [
  {
    name: 'MetaMask',
    namespaces: ['evm'],
    rdns: 'io.metamask',
    link: (url) => `https://link.metamask.io/dapp/${url.host}${url.pathname}`,
    pair: (uri) => `https://link.metamask.io/wc?uri=${encodeURIComponent(uri)}`,
  },
  {
    name: 'Coinbase Wallet',
    namespaces: ['evm'],
    rdns: 'com.coinbase.wallet',
    link: (url) => `https://go.cb-w.com/dapp?cb_url=${encoded(url)}`,
  },
  {
    name: 'Rainbow',
    namespaces: ['evm'],
    rdns: 'me.rainbow',
    link: (url) => `https://rnbwapp.com/dapp?url=${encoded(url)}`,
    pair: (uri) => `https://rnbwapp.com/wc?uri=${encodeURIComponent(uri)}`,
  },
  {
    name: 'Trust Wallet',
    namespaces: ['evm', 'solana'],
    rdns: 'com.trustwallet.app',
    // Coins are named by SLIP-44; the browser begins with that one.
    link: (url, namespaces) =>
      `https://link.trustwallet.com/open_url?coin_id=${namespaces.includes('evm') ? 60 : 501}&url=${encoded(url)}`,
    pair: (uri) => `https://link.trustwallet.com/wc?uri=${encodeURIComponent(uri)}`,
  },
  {
    name: 'OKX Wallet',
    namespaces: ['evm'],
    rdns: 'com.okex.wallet',
    link: (url) =>
      `https://web3.okx.com/download?deeplink=${encodeURIComponent(`okx://wallet/dapp/url?dappUrl=${encoded(url)}`)}`,
  },
  {
    name: 'Phantom',
    namespaces: ['evm', 'solana'],
    rdns: 'app.phantom',
    link: (url) => `https://phantom.app/ul/browse/${encoded(url)}?ref=${encodeURIComponent(url.origin)}`,
  },
  {
    name: 'Solflare',
    namespaces: ['solana'],
    link: (url) => `https://solflare.com/ul/v1/browse/${encoded(url)}?ref=${encodeURIComponent(url.origin)}`,
  },
  {
    name: 'Xverse',
    namespaces: ['bitcoin'],
    link: (url) => `https://connect.xverse.app/browser?url=${encoded(url)}`,
  },
];

/** The apps that can prove a wallet of one of these kinds, but for those that this browser has already. */
export function walletAppsFor(namespaces: readonly string[], present: readonly string[] = []): readonly WalletApp[] {
  return walletApps.filter(
    (app) =>
      app.namespaces.some((namespace) => namespaces.includes(namespace)) &&
      (app.rdns === undefined || !present.includes(app.rdns)),
  );
}

/** The apps that take a pairing by a link of https. Others scan the code, or take the copied address. */
export function pairingAppsFor(namespaces: readonly string[]): readonly Required<Pick<WalletApp, 'name' | 'pair'>>[] {
  return walletAppsFor(namespaces).flatMap(({ name, pair }) => (pair === undefined ? [] : [{ name, pair }]));
}
