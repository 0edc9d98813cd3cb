import type { ConnectPage as Page } from '@latchkey/kernel';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { type Call, callAs } from '../api.ts';
import { t } from '../messages/index.ts';
import { Icon } from '../parts/icon.tsx';
import { Name } from '../parts/name.tsx';
import { platformName } from '../parts/names.ts';
import type { StatusMessage } from '../parts/status.tsx';
import { PasskeySection } from '../passkeys/passkey-section.tsx';
import { useLatest } from '../use-latest.ts';
import { AddWallet } from './add-wallet.tsx';
import { useConnecting } from './use-connecting.ts';
import { useLinkedWallets } from './use-linked-wallets.ts';
import { WalletList } from './wallet-list.tsx';

/** Loaded apart: the other pages, which are in the same file, show no roles. Without it, wallets can still be linked. */
const RolesHere = lazy(() =>
  import('./roles-here.tsx').then(
    ({ RolesHere }) => ({ default: RolesHere }),
    () => ({ default: () => <p role="alert">{t('error.notLoaded')}</p> }),
  ),
);

interface AllRolesProps {
  call: Call;
  changes: number;
  hasWallets: boolean;
}

/** So many communities are shown here; the console has all of them. */
const mostCommunities = 3;
const addWalletId = 'link-a-wallet';

/** The roles of a page that was opened without a community: those of the first communities, and the way to the rest. */
function AllRoles({ call, changes, hasWallets }: AllRolesProps) {
  const [communities, setCommunities] = useState<NonNullable<Page['community']>[]>([]);
  const ask = useLatest();
  useEffect(() => {
    const isLatest = ask();
    call('GET /latchkey/account/memberships', { limit: mostCommunities }).then(
      ({ items }) => {
        if (isLatest()) setCommunities(items.map(({ communityId, ...rest }) => ({ id: communityId, ...rest })));
      },
      // A link that is for wallets alone: the console, with a login of its own, shows the roles.
      () => undefined,
    );
    return () => void ask();
  }, [call, ask]);
  return (
    <>
      <Suspense>
        {hasWallets &&
          communities.map((community) => (
            <RolesHere key={community.id} {...{ call, community, changes, addWalletId }} />
          ))}
      </Suspense>
      <section className="card" aria-labelledby="roles-title">
        <h2 id="roles-title">{hasWallets && communities.length > 0 ? t('roles.all') : t('roles.title')}</h2>
        <p>{hasWallets ? t('roles.seeWithWallets') : t('roles.seeWithoutWallets')}</p>
        <div className="actions">
          <a className={hasWallets ? 'button' : 'button quiet'} href="/console/me/roles">
            {t('roles.see')}
          </a>
        </div>
      </section>
    </>
  );
}

export function ConnectPage({ data: { token, account, community, namespaces, walletConnect } }: { data: Page }) {
  const call = useMemo(() => callAs(token), [token]);
  const linked = useLinkedWallets(call);
  const hasWallets = (linked.wallets?.length ?? 0) > 0;
  const [unlinked, describeUnlinked] = useState<StatusMessage>();
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
        <Suspense>
          <RolesHere {...{ call, community, changes, addWalletId }} />
        </Suspense>
      ) : (
        <AllRoles {...{ call, changes, hasWallets }} />
      )}
      <div id={addWalletId}>
        <AddWallet
          call={call}
          namespaces={namespaces}
          communityId={community?.id}
          connecting={connecting}
          walletConnect={walletConnect}
          isMain={community !== undefined || !hasWallets}
        />
      </div>
      <WalletList
        call={call}
        linked={linked}
        community={community}
        status={unlinked}
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
