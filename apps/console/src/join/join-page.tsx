import { ApiError, type CallResult } from '@latchkey/client';
import type { JoinPage as Page } from '@latchkey/kernel';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { type Call, callAs, callAsAnyone } from '../api.ts';
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
import { openLinksInTelegram, postToTelegram, readMiniApp } from './mini-app.ts';
import { applyTheme } from './telegram-theme.ts';

type Opened = CallResult<'POST /latchkey/telegram-join-requests/{slug}/open'>;
/** Only for people who are in; the roles of others are in the answer to their request. */
const RolesHere = lazy(() => import('../connect/roles-here.tsx').then(({ RolesHere }) => ({ default: RolesHere })));

const addWalletId = 'link-a-wallet';

type JoinCheck = CallResult<'POST /latchkey/telegram-join-requests/{slug}/check'>;

/** Inside Telegram, for a person who requested to join a chat: what the chat requires, and the wallets that may have it. */
export function JoinPage({ data }: { data: Page }) {
  const miniApp = useMemo(() => readMiniApp(location.hash), []);
  const [opened, setOpened] = useState<Opened>();
  const [failure, setFailure] = useState(miniApp === undefined ? t('error.pageExpired') : undefined);
  useEffect(() => {
    if (miniApp === undefined) return undefined;
    if (miniApp.theme !== undefined) applyTheme(miniApp.theme);
    postToTelegram('web_app_ready', {});
    postToTelegram('web_app_expand', {});
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
  // What the rules see of the person has changed so often since the page was opened.
  const [changes, setChanges] = useState(0);
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
      setChanges((count) => count + 1);
      void look();
    },
    () => describeUnlinked(undefined),
  );
  const isIn = check?.state === 'approved';
  const isOver = isIn || check?.state === 'ended';
  const isKnown = useIsKnown(call, communityId, isIn);
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
            <button type="button" onClick={() => postToTelegram('web_app_close', {})}>
              {t('roles.backToChat')}
            </button>
          ) : (
            <button type="button" className="quiet" disabled={isChecking} onClick={() => void look()}>
              {t('roles.checkAgain')}
            </button>
          )}
        </div>
      </section>
      {isKnown && (
        <Suspense>
          <RolesHere {...{ call, changes, addWalletId }} community={{ id: communityId, name: communityName }} />
        </Suspense>
      )}
      {check?.state !== 'ended' && (
        <div id={addWalletId}>
          <AddWallet
            call={call}
            namespaces={namespaces}
            communityId={communityId}
            connecting={connecting}
            walletConnect={walletConnect}
            isMain={!isIn}
            isInTelegram
          />
        </div>
      )}
      <WalletList
        call={call}
        linked={linked}
        community={undefined}
        status={unlinked}
        say={describeUnlinked}
        onUnlinked={() => {
          connecting.quiet();
          setChanges((count) => count + 1);
          void look();
        }}
      />
      <PasskeySection call={call} isInTelegram />
      <p className="hint">{t('connect.about')}</p>
    </>
  );
}

const pauseMs = 2_000;
/** A minute. The chat and the console show the roles, too. */
const mostLooks = 30;

/** Whether the server knows that the person is in, which Telegram reports a moment after it let them in. */
function useIsKnown(call: Call, communityId: string, isIn: boolean): boolean {
  const [isKnown, setIsKnown] = useState(false);
  useEffect(() => {
    let isLeft = false;
    const wait = async () => {
      for (let look = 0; look < mostLooks && !isLeft; look += 1) {
        try {
          await call('GET /latchkey/account/communities/{communityId}/role-steps', { communityId });
          if (!isLeft) setIsKnown(true);
          return;
        } catch (error) {
          if (!(error instanceof ApiError && error.code === 'ENTITY_NOT_FOUND')) return;
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    if (isIn) void wait();
    return () => {
      isLeft = true;
    };
  }, [call, communityId, isIn]);
  return isKnown;
}

const words = {
  approved: 'role.kept',
  needed: 'role.missing',
  queued: 'join.queued',
  ended: 'error.pageExpired',
} as const;
