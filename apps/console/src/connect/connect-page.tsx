import type { ConnectPage as Page } from '@latchkey/kernel';
import { useMemo, useState } from 'react';
import { callAs } from '../api.ts';
import { Icon } from '../parts/icon.tsx';
import { platformName } from '../parts/names.ts';
import type { Said } from '../parts/status.tsx';
import { PasskeySection } from '../passkeys/passkey-section.tsx';
import { AddWallet } from './add-wallet.tsx';
import { RolesHere } from './roles-here.tsx';
import { useConnecting } from './use-connecting.ts';
import { useLinkedWallets } from './use-linked-wallets.ts';
import { WalletList } from './wallet-list.tsx';

export function ConnectPage({ data: { token, account, community, namespaces } }: { data: Page }) {
  const call = useMemo(() => callAs(token), [token]);
  const linked = useLinkedWallets(call);
  const [unlinked, sayUnlinked] = useState<Said>();
  // What the rules see of the person has changed so often since the page was opened.
  const [changes, setChanges] = useState(0);
  const onChange = () => setChanges((count) => count + 1);
  const connecting = useConnecting(
    () => {
      linked.refresh();
      onChange();
    },
    () => sayUnlinked(undefined),
  );
  return (
    <>
      <section className="intro">
        {community && (
          <p className="client">
            <Icon source={community.picture} name={community.name} />
            <span className="row-text">
              <strong>{community.name}</strong>
              <small>{platformName(account.platform)}</small>
            </span>
          </p>
        )}
        <h1>{community ? 'Get your roles' : 'Your wallets'}</h1>
        <p>
          You are here as <strong>{account.name}</strong> on {platformName(account.platform)}. If that is not you, close
          this page: what you link here would be linked to somebody else.
        </p>
      </section>
      {community && <RolesHere call={call} community={community} changes={changes} />}
      <AddWallet call={call} namespaces={namespaces} communityId={community?.id} connecting={connecting} />
      <WalletList
        call={call}
        linked={linked}
        community={community}
        said={unlinked}
        say={sayUnlinked}
        onUnlinked={() => {
          connecting.quiet();
          onChange();
        }}
      />
      <PasskeySection call={call} />
      <p className="hint">
        What your wallets hold decides your roles. This site keeps the address of each wallet you link, and that it is
        yours. Your keys stay in your wallet, and you can unlink it at any time.
      </p>
    </>
  );
}
