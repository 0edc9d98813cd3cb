import type { ConnectPage as Page } from '@latchkey/kernel';
import { useMemo } from 'react';
import { callAs } from '../api.ts';
import { platformName } from '../parts/names.ts';
import { PasskeySection } from '../passkeys/passkey-section.tsx';
import { AddWallet } from './add-wallet.tsx';
import { useLinkedWallets } from './use-linked-wallets.ts';
import { WalletList } from './wallet-list.tsx';

export function ConnectPage({ data: { token, account, community, namespaces } }: { data: Page }) {
  const call = useMemo(() => callAs(token), [token]);
  const linked = useLinkedWallets(call);
  return (
    <>
      <section className="intro">
        <h1>Your wallets</h1>
        <p>
          You are here as <strong>{account.name}</strong> on {platformName(account.platform)}. If that is not you, close
          this page: what you link here would be linked to somebody else.
        </p>
        <p>
          {community ? (
            <>
              What your wallets hold decides your roles in <strong>{community.name}</strong>
            </>
          ) : (
            'What your wallets hold decides your roles in your communities'
          )}
          . This site keeps the address of each wallet you link, and that it is yours. Your keys stay in your wallet,
          and you can unlink it at any time.
        </p>
      </section>
      <WalletList call={call} linked={linked} community={community} />
      <AddWallet call={call} namespaces={namespaces} communityId={community?.id} onLinked={linked.refresh} />
      <PasskeySection call={call} />
    </>
  );
}
