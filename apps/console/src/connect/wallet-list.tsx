import type { WalletConnection } from '@latchkey/core';
import type { ConnectPage } from '@latchkey/kernel';
import { useRef, useState } from 'react';
import type { Call } from '../api.ts';
import { t } from '../messages/index.ts';
import { Confirm } from '../parts/dialog.tsx';
import { shortAddress } from '../parts/names.ts';
import { Status, type StatusMessage } from '../parts/status.tsx';
import { describeError } from '../say-error.ts';
import { chainWords } from '../wallets/chains.ts';
import type { LinkedWallet, LinkedWallets } from './use-linked-wallets.ts';

interface WalletListProps {
  call: Call;
  linked: LinkedWallets;
  /** What was said of the last wallet that was unlinked. */
  status: StatusMessage | undefined;
  say(reply: StatusMessage | undefined): void;
  onUnlinked(): void;
  /** The community that the page was opened for. */
  community: ConnectPage['community'];
}

export function WalletList({ call, linked, status: reply, say, onUnlinked, community }: WalletListProps) {
  const { wallets, failure, refresh } = linked;
  const [leaving, setLeaving] = useState<WalletConnection>();
  const title = useRef<HTMLHeadingElement>(null);

  async function unlink({ address = '' }: WalletConnection): Promise<void> {
    setLeaving(undefined);
    try {
      // By its address alone it leaves every community.
      await call('DELETE /wallet-manager/wallet-connections/{walletSk}', { walletSk: address });
      say({ tone: 'good', text: t('wallets.unlinked', { address: shortAddress(address) }) });
      // The button that had the focus goes with its wallet.
      title.current?.focus();
      onUnlinked();
      refresh();
    } catch (error) {
      say({ tone: 'bad', text: describeError(error) });
    }
  }

  return (
    <section className="card" aria-labelledby="linked-title">
      <h2 id="linked-title" ref={title} tabIndex={-1}>
        {t('wallets.title')}
      </h2>
      {wallets === undefined && failure === undefined && <p>{t('wallets.loading')}</p>}
      {wallets?.length === 0 && <p>{t('wallets.none')}</p>}
      {wallets !== undefined && wallets.length > 0 && (
        <ul className="rows">
          {wallets.map((wallet) => (
            <li key={wallet.id}>
              <span className="row-text">
                <code className="address">{wallet.address}</code>
                <small>{describe(wallet)}</small>
                {community && !isConnected(wallet, community.id) && <small>{t('wallets.otherCommunity')}</small>}
              </span>
              <button
                type="button"
                className="quiet"
                aria-label={t('wallets.unlinkOne', { address: wallet.address ?? '' })}
                onClick={() => setLeaving(wallet)}
              >
                {t('wallets.unlink')}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Status status={failure === undefined ? reply : { tone: 'bad', text: failure }} />
      {leaving && (
        <Confirm
          title={t('wallets.unlinkTitle')}
          yes={t('wallets.unlink')}
          onYes={() => unlink(leaving)}
          onNo={() => setLeaving(undefined)}
        >
          <p>
            <code className="address">{leaving.address}</code>
          </p>
          <p>{t('wallets.unlinkAbout')}</p>
        </Confirm>
      )}
    </section>
  );
}

function isConnected({ communities }: LinkedWallet, communityId: string): boolean {
  return communities.includes(communityId) || communities.includes(undefined);
}

function describe({ accountId = '', createdTime = '', signerAddress, contract }: WalletConnection): string {
  const kind = contract?.includes('/gnosis/') ? 'Safe' : contract?.includes('/dsproxy/') ? 'DSProxy' : undefined;
  const signer =
    signerAddress === undefined ? undefined : t('wallets.signedBy', { address: shortAddress(signerAddress) });
  const since = createdTime === '' ? undefined : t('wallets.since', { date: t.date(new Date(createdTime)) });
  return [chainWords(accountId.split(':')[0] ?? '').name, kind, signer, since]
    .filter((part) => part !== undefined)
    .join(' · ');
}
