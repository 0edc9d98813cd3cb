import type { IndexedPage, IndexFile } from './index-file.ts';

function page(path: string, title: string, text: string, more: Partial<IndexedPage> = {}): IndexedPage {
  const instance = path.split('/')[1] ?? '';
  const tag = `docs-${instance === 'docs' ? 'default' : instance}-current`;
  return { kind: 'page', path, title, crumbs: [], language: 'en', tag, sections: [{ text }], ...more };
}

function operation(operationId: string, call: string, title: string): IndexedPage {
  const more = { kind: 'operation', tag: 'default', call, operationId } as const;
  return page(`/apis/x#${operationId}`, title, `${title} of a wallet.`, more);
}

/** A small site, for tests. */
export const sampleIndex: IndexFile = {
  pages: [
    page('/help-docs/verify', 'Verify your wallet', 'Sign a message with your wallet to get roles.', {
      sections: [
        { text: 'Sign a message with your wallet to get roles.' },
        { heading: 'Use a hardware device', anchor: 'hardware', text: 'A Ledger signs through MetaMask.' },
      ],
    }),
    page('/help-docs/metamask', 'MetaMask', 'Open MetaMask and sign. Your wallet stays yours.'),
    page('/dao/voting', 'Voting', 'Delegate your votes. The wallet that holds the tokens votes.'),
    page('/dao/claim', 'Claiming tokens', 'A claim never needs a wallet signature.'),
    page('/docs/keys', 'API keys', 'A key opens the API.'),
    page('/docs/0.64/keys', 'API keys', 'A key opened the API.', { tag: 'docs-default-0.64' }),
    operation('connectWallet', 'POST /wallets', 'Link a wallet'),
    operation('listWallets', 'GET /wallets', 'List wallets'),
    operation('deleteWallet', 'DELETE /wallets/{address}', 'Unlink a wallet'),
    operation('token', 'POST /oauth2/token', 'Exchange a code'),
  ],
};

export const sampleContext = {
  language: 'en',
  tags: ['docs-default-current', 'docs-help-docs-current', 'docs-dao-current'],
};
