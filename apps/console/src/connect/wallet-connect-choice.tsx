import type { ConnectPage } from '@latchkey/kernel';
import { useRef, useState } from 'react';
import type { Call } from '../api.ts';
import { Icon } from '../parts/icon.tsx';
import type { View } from '../wallet-connect/link-wallet.ts';
import { connectWallet, type Holder } from './connect-wallet.ts';
import type { Connecting } from './use-connecting.ts';
import { WalletConnectPanel } from './wallet-connect-panel.tsx';

interface WalletConnectProps {
  call: Call;
  settings: NonNullable<ConnectPage['walletConnect']>;
  namespaces: readonly string[];
  communityId: string | undefined;
  holder: Holder;
  connecting: Connecting;
}

/** WalletConnect, where the operator chose it. Its code is fetched and its relay asked when somebody wants it, not before. */
export function WalletConnectChoice(props: WalletConnectProps) {
  const { call, settings, namespaces, communityId, holder, connecting } = props;
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
      onStep('Starting WalletConnect …');
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
              <small>A wallet app, by QR code or link</small>
            </span>
          </button>
        </li>
      </ul>
      {view && <WalletConnectPanel view={view} onCancel={cancel} />}
    </>
  );
}
