import type { ConnectPage } from '@latchkey/kernel';
import { useState } from 'react';
import type { Call } from '../api.ts';
import { OtherBrowser } from '../handoff/other-browser.tsx';
import { Status } from '../parts/status.tsx';
import { WalletChoices } from '../parts/wallet-choices.tsx';
import { useBrowserWallets } from '../wallets/use-browser-wallets.ts';
import { ChooseHolder } from './choose-holder.tsx';
import { chooseProxy, connectWallet, type Holder, moveWallet, outcomeOf } from './connect-wallet.ts';
import { OpenQuestion } from './open-question.tsx';
import { SignElsewhere } from './sign-elsewhere.tsx';
import type { Connecting } from './use-connecting.ts';
import { WalletConnectChoice } from './wallet-connect-choice.tsx';

interface AddWalletProps {
  call: Call;
  namespaces: readonly string[];
  communityId: string | undefined;
  connecting: Connecting;
  /** Set where the operator chose to offer it. */
  walletConnect?: ConnectPage['walletConnect'];
  /** Without a heading and a card of its own. */
  isBare?: boolean;
}

export function AddWallet({
  call,
  namespaces,
  communityId,
  connecting,
  walletConnect,
  isBare = false,
}: AddWalletProps) {
  const wallets = useBrowserWallets(namespaces);
  const [holder, setHolder] = useState<Holder>({ kind: 'wallet' });
  return (
    <section className={isBare ? undefined : 'card'} aria-label="Link a wallet">
      {!isBare && <h2>Link a wallet</h2>}
      <p>
        Your wallet will ask you to sign a message that names this site and your account. Signing is free. It is not a
        transaction: it moves nothing and gives nobody access to what you own.
      </p>
      <WalletChoices
        wallets={wallets}
        onChoose={(wallet) =>
          void connecting.run((onStep) => connectWallet(call, wallet, { communityId, holder, onStep }))
        }
      />
      {walletConnect && (
        <WalletConnectChoice
          call={call}
          settings={walletConnect}
          namespaces={namespaces}
          communityId={communityId}
          holder={holder}
          connecting={connecting}
        />
      )}
      <OtherBrowser
        call={call}
        purpose="link"
        wallets={wallets}
        namespaces={namespaces}
        communityId={communityId}
        onFinished={({ connection }) => void connecting.run(async () => outcomeOf(connection ?? {}))}
      />
      <Status said={connecting.said} />
      {connecting.question && (
        <OpenQuestion
          question={connecting.question}
          onMove={(taken) => connecting.run(() => moveWallet(call, taken))}
          onChoose={(state, proxy) => connecting.run(() => chooseProxy(call, state, proxy))}
          onLeave={connecting.leave}
        />
      )}
      {(walletConnect || wallets.some(({ namespace }) => namespace === 'evm')) && (
        <ChooseHolder holder={holder} onChoose={setHolder} />
      )}
      <SignElsewhere call={call} namespaces={namespaces} communityId={communityId} connecting={connecting} />
    </section>
  );
}
