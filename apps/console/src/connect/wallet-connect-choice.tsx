import type { ConnectPage } from '@latchkey/kernel';
import { useRef, useState } from 'react';
import type { Call } from '../api.ts';
import { QrCode } from '../handoff/qr-code.tsx';
import { PairingAppList } from '../handoff/wallet-app-list.tsx';
import { t } from '../messages/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { isPhone } from '../parts/device.ts';
import { Icon } from '../parts/icon.tsx';
import type { SharedAccount } from '../wallet-connect/accounts.ts';
import type { View } from '../wallet-connect/link-wallet.ts';
import { chainWords } from '../wallets/chains.ts';
import { connectWallet, type Holder } from './connect-wallet.ts';
import type { Connecting } from './use-connecting.ts';

interface WalletConnectProps {
  call: Call;
  settings: NonNullable<ConnectPage['walletConnect']>;
  namespaces: readonly string[];
  communityId: string | undefined;
  holder: Holder;
  connecting: Connecting;
  isInTelegram: boolean;
}

/** WalletConnect, where the operator chose it. Its code is loaded, and its relay contacted, only when it is chosen. */
export function WalletConnectChoice(props: WalletConnectProps) {
  const { call, settings, namespaces, communityId, holder, connecting, isInTelegram } = props;
  const [view, setView] = useState<View>();
  const latest = useRef<AbortController>(undefined);

  const cancel = () => {
    latest.current?.abort();
    setView(undefined);
    connecting.quiet();
  };

  const begin = () => {
    latest.current?.abort();
    const attempt = new AbortController();
    latest.current = attempt;
    void connecting.run(async (onStep) => {
      onStep(t('walletConnect.starting'));
      const { linkByWalletConnect } = await import('../wallet-connect/link-wallet.ts');
      return linkByWalletConnect({
        settings,
        namespaces,
        connect: (wallet) => connectWallet(call, wallet, { communityId, holder, onStep }),
        signal: attempt.signal,
        onStep,
        onView: (next) => {
          if (attempt === latest.current) setView(next);
        },
      });
    });
  };

  return (
    <>
      <ul className="choices">
        <li>
          <button type="button" className="choice" onClick={begin}>
            <Icon source={undefined} name="WalletConnect" />
            <span className="row-text">
              <span>WalletConnect</span>
              <small>{t('walletConnect.how')}</small>
            </span>
          </button>
        </li>
      </ul>
      {view && <WalletConnectPanel {...{ view, namespaces, isInTelegram }} onCancel={cancel} />}
    </>
  );
}

/** What to do in the wallet, step by step. */
function WalletConnectPanel({
  view,
  onCancel,
  ...shown
}: Pick<WalletConnectProps, 'namespaces' | 'isInTelegram'> & { view: View; onCancel(): void }) {
  return (
    <div className="question">
      {view.kind === 'pairing' && <Pair uri={view.uri} {...shown} />}
      {view.kind === 'accounts' && <Choose {...view} />}
      {view.kind === 'signing' && (
        <>
          <h3>{t('walletConnect.sign')}</h3>
          <p>{t.rich('walletConnect.openAgain', { wallet: <bdi key="wallet">{view.walletName}</bdi> })}</p>
        </>
      )}
      <button type="button" className="quiet" onClick={onCancel}>
        {t('action.cancel')}
      </button>
    </div>
  );
}

function Pair({
  uri,
  namespaces,
  isInTelegram,
}: { uri: string } & Pick<WalletConnectProps, 'namespaces' | 'isInTelegram'>) {
  const onPhone = isPhone();
  return (
    <>
      <h3>{onPhone ? t('walletConnect.openApp') : t('walletConnect.scan')}</h3>
      {onPhone && isInTelegram && <PairingAppList uri={uri} namespaces={namespaces} />}
      {onPhone && !isInTelegram && (
        <p>
          {/* A real link: phones open an app for what people tap, not for what a script does. */}
          <a className="choice" href={uri} rel="noreferrer">
            {t('walletConnect.openMine')}
          </a>
        </p>
      )}
      {onPhone && <p>{t('walletConnect.otherDevice')}</p>}
      <QrCode text={uri} label={t('walletConnect.qrCode')} />
      <p className="hint">{t('walletConnect.scanner')}</p>
      <CopyButton text={uri} kind="link" />
    </>
  );
}

function Choose({
  walletName,
  accounts,
  choose,
}: {
  walletName: string;
  accounts: readonly SharedAccount[];
  choose(account: SharedAccount): void;
}) {
  return (
    <>
      <h3>{t.rich('walletConnect.whichAccount', { wallet: <bdi key="wallet">{walletName}</bdi> })}</h3>
      <ul className="choices">
        {accounts.map((account) => (
          <li key={account.accountId}>
            <button type="button" className="choice" onClick={() => choose(account)}>
              <span className="row-text">
                <code className="address">{account.address}</code>
                <small>{chainWords(account.namespace).name}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
