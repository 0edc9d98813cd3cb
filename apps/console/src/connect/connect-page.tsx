import type { ConnectPage as Page } from '@latchkey/kernel';
import { useMemo, useState } from 'react';
import { callAs } from '../api.ts';
import { t } from '../messages/index.ts';
import { Icon } from '../parts/icon.tsx';
import { Name } from '../parts/name.tsx';
import { platformName } from '../parts/names.ts';
import type { Said } from '../parts/status.tsx';
import { PasskeySection } from '../passkeys/passkey-section.tsx';
import { AddWallet } from './add-wallet.tsx';
import { RolesHere } from './roles-here.tsx';
import { useConnecting } from './use-connecting.ts';
import { useLinkedWallets } from './use-linked-wallets.ts';
import { WalletList } from './wallet-list.tsx';

/** The way on for a page that was opened without a community: the roles of all of them are in the console. */
function YourRoles({ hasWallets }: { hasWallets: boolean }) {
  return (
    <section className="card" aria-labelledby="roles-title">
      <h2 id="roles-title">{t('roles.title')}</h2>
      <p>{hasWallets ? t('roles.seeWithWallets') : t('roles.seeWithoutWallets')}</p>
      <div className="actions">
        <a className={hasWallets ? 'button' : 'button quiet'} href="/console/me/roles">
          {t('roles.see')}
        </a>
      </div>
    </section>
  );
}

export function ConnectPage({ data: { token, account, community, namespaces, walletConnect } }: { data: Page }) {
  const call = useMemo(() => callAs(token), [token]);
  const linked = useLinkedWallets(call);
  const hasWallets = (linked.wallets?.length ?? 0) > 0;
  const [unlinked, describeUnlinked] = useState<Said>();
  // What the rules see of the person has changed so often since the page was opened.
  const [changes, setChanges] = useState(0);
  const onChange = () => setChanges((count) => count + 1);
  const connecting = useConnecting(
    () => {
      linked.refresh();
      onChange();
    },
    () => describeUnlinked(undefined),
  );
  return (
    <>
      <section className="intro">
        {community && (
          <div className="client">
            <Icon source={community.picture} name={community.name} isLarge />
            <span className="row-text">
              <strong className="clamped" title={community.name}>
                <bdi>{community.name}</bdi>
              </strong>
              <small>{platformName(account.platform)}</small>
            </span>
          </div>
        )}
        <h1>{community ? t('connect.getRoles') : t('connect.yourWallets')}</h1>
        <p>
          {t.rich('connect.signedInAs', {
            name: <Name key="name">{account.name}</Name>,
            platform: platformName(account.platform),
          })}
        </p>
      </section>
      {community ? (
        <RolesHere call={call} community={community} changes={changes} />
      ) : (
        <YourRoles hasWallets={hasWallets} />
      )}
      <AddWallet
        call={call}
        namespaces={namespaces}
        communityId={community?.id}
        connecting={connecting}
        walletConnect={walletConnect}
        isMain={community !== undefined || !hasWallets}
      />
      <WalletList
        call={call}
        linked={linked}
        community={community}
        said={unlinked}
        say={describeUnlinked}
        onUnlinked={() => {
          connecting.quiet();
          onChange();
        }}
      />
      <PasskeySection call={call} />
      <p className="hint">{t('connect.about')}</p>
    </>
  );
}
