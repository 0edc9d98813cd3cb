import type { CallResult } from '@latchkey/client';
import type { JoinPage as Page } from '@latchkey/kernel';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { callAs, callAsAnyone } from '../api.ts';
import { AddWallet } from '../connect/add-wallet.tsx';
import { useConnecting } from '../connect/use-connecting.ts';
import { useLinkedWallets } from '../connect/use-linked-wallets.ts';
import { WalletList } from '../connect/wallet-list.tsx';
import { t } from '../messages/index.ts';
import { Icon } from '../parts/icon.tsx';
import { Name } from '../parts/name.tsx';
import { platformName } from '../parts/names.ts';
import { RoleCard } from '../parts/roles/role-card.tsx';
import type { StatusMessage } from '../parts/status.tsx';
import { PasskeySection } from '../passkeys/passkey-section.tsx';
import { describeError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';
import { openLinksInTelegram, readMiniApp, tellTelegram } from './mini-app.ts';
import { applyTheme } from './telegram-theme.ts';

type Opened = CallResult<'POST /latchkey/telegram-join-requests/{slug}/open'>;
type JoinCheck = CallResult<'POST /latchkey/telegram-join-requests/{slug}/check'>;

/** Inside Telegram, for a person who requested to join a chat: what the chat requires, and the wallets that may have it. */
export function JoinPage({ data }: { data: Page }) {
  const miniApp = useMemo(() => readMiniApp(location.hash), []);
  const [opened, setOpened] = useState<Opened>();
  const [failure, setFailure] = useState(miniApp === undefined ? t('error.pageExpired') : undefined);
  useEffect(() => {
    if (miniApp === undefined) return undefined;
    if (miniApp.theme !== undefined) applyTheme(miniApp.theme);
    tellTelegram('web_app_ready', {});
    tellTelegram('web_app_expand', {});
    const body = { initData: miniApp.initData };
    callAsAnyone()('POST /latchkey/telegram-join-requests/{slug}/open', { slug: data.slug, body }).then(
      setOpened,
      (error: unknown) => setFailure(describeError(error)),
    );
    return openLinksInTelegram();
  }, [data.slug, miniApp]);
  if (opened !== undefined) return <Joining data={data} opened={opened} />;
  return (
    <section className="intro">
      <p role={failure === undefined ? 'status' : 'alert'}>{failure ?? t('roles.checking')}</p>
    </section>
  );
}

function Joining({ data: { slug, namespaces, walletConnect }, opened }: { data: Page; opened: Opened }) {
  const { token, name, communityId, communityName, picture } = opened;
  const call = useMemo(() => callAs(token), [token]);
  const linked = useLinkedWallets(call);
  const [check, setCheck] = useState<JoinCheck>();
  const [failure, setFailure] = useState<string>();
  const [isChecking, setIsChecking] = useState(true);
  const [unlinked, describeUnlinked] = useState<StatusMessage>();
  const ask = useLatest();
  const look = useCallback(async () => {
    const isLatest = ask();
    setIsChecking(true);
    try {
      const found = await call('POST /latchkey/telegram-join-requests/{slug}/check', { slug });
      if (!isLatest()) return;
      setCheck(found);
      setFailure(undefined);
    } catch (error) {
      if (isLatest()) setFailure(describeError(error));
    }
    if (isLatest()) setIsChecking(false);
  }, [ask, call, slug]);
  useEffect(() => void look(), [look]);
  const connecting = useConnecting(
    () => {
      linked.refresh();
      void look();
    },
    () => describeUnlinked(undefined),
  );
  const isOver = check?.state === 'approved' || check?.state === 'ended';
  return (
    <>
      <section className="intro">
        <div className="client">
          <Icon source={picture} name={communityName} isLarge />
          <div className="row-text">
            <h1 className="clamped" title={communityName}>
              <bdi>{communityName}</bdi>
            </h1>
            <small>{platformName('telegram')}</small>
          </div>
        </div>
        <p>
          {t.rich('connect.signedInAs', {
            name: <Name key="name">{name}</Name>,
            platform: platformName('telegram'),
          })}
        </p>
      </section>
      <section className="card" aria-busy={isChecking} aria-live="polite">
        <p role="status">{isChecking ? t('roles.checking') : (failure ?? (check && t(words[check.state])))}</p>
        {check?.role && <RoleCard role={check.role} platform="telegram" action={() => null} />}
        <div className="actions">
          {isOver ? (
            <button type="button" onClick={() => tellTelegram('web_app_close', {})}>
              {t('roles.backToChat')}
            </button>
          ) : (
            <button type="button" className="quiet" disabled={isChecking} onClick={() => void look()}>
              {t('roles.checkAgain')}
            </button>
          )}
        </div>
      </section>
      {!isOver && (
        <AddWallet
          call={call}
          namespaces={namespaces}
          communityId={communityId}
          connecting={connecting}
          walletConnect={walletConnect}
          isInTelegram
        />
      )}
      <WalletList
        call={call}
        linked={linked}
        community={undefined}
        status={unlinked}
        say={describeUnlinked}
        onUnlinked={() => {
          connecting.quiet();
          void look();
        }}
      />
      <PasskeySection call={call} isInTelegram />
      <p className="hint">{t('connect.about')}</p>
    </>
  );
}

const words = {
  approved: 'role.kept',
  needed: 'role.missing',
  queued: 'join.queued',
  ended: 'error.pageExpired',
} as const;
