import { Button, Group, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type ReturnedFromX, waitForReturn } from '../../account/x-channel.ts';
import { platformName, shortAddress } from '../../parts/names.ts';
import { type Action, type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { PlatformTile } from '../../shared/platform-mark.tsx';
import {
  ConfirmButton,
  Dialog,
  EmptyState,
  Failure,
  List,
  Loading,
  Picture,
  Row,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './me.module.css';

type Platform = ChatAccount['platform'];
const list = 'GET /latchkey/account/chat-accounts';

/** The user's accounts on chat platforms, and the X account. */
export function ChatAccounts() {
  const { data, error, isLoading, refetch } = useOperation(list, {});
  const x = useXLink();
  const [linking, setLinking] = useState<Platform>();
  const items = data?.items ?? [];
  const offered = data?.offered ?? [];
  return (
    <Section
      title={t('chatAccounts.title')}
      lead={t('chatAccounts.lead')}
      actions={
        (offered.length > 0 || x.canLink) && (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" loading={x.isRunning}>
                {t('chatAccounts.link')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {offered.map((platform) => (
                <Menu.Item key={platform} onClick={() => setLinking(platform)}>
                  {platformName(platform)}
                </Menu.Item>
              ))}
              {x.canLink && <Menu.Item onClick={() => void x.link()}>X</Menu.Item>}
            </Menu.Dropdown>
          </Menu>
        )
      }
    >
      {isLoading && <Loading text={t('chatAccounts.loading')} lines={2} />}
      {data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && items.length === 0 && x.account === undefined && (
        <EmptyState title={t('chatAccounts.none')}>{t('chatAccounts.noneHow')}</EmptyState>
      )}
      <List items={items} keyOf={({ accountId }) => accountId}>
        {(account) => <AccountRow account={account} offered={offered} />}
      </List>
      {x.account !== undefined && <XRow account={x.account} unlink={x.unlink} />}
      <p role="status" className={styles.note}>
        {x.note}
      </p>
      <Failure error={x.error} />
      <LinkChatAccount platform={linking} onClose={() => setLinking(undefined)} />
    </Section>
  );
}

interface AccountRowProps {
  account: ChatAccount;
  offered: readonly Platform[];
}

function AccountRow({ account, offered }: AccountRowProps) {
  const { platform, isCurrent } = account;
  const name = nameOf(account);
  return (
    <Row
      picture={<PlatformTile platform={platform} />}
      title={name}
      states={isCurrent && <State tone="good">{t('chatAccounts.signedIn')}</State>}
      note={isCurrent ? platformName(platform) : sharedIn(account)}
      actions={
        isCurrent ? (
          platform === 'discord' &&
          offered.includes(platform) && (
            <Button component={Link} to="/me/linked-roles" size="compact-sm" variant="default">
              {t('chatAccounts.linkedRoles')}
            </Button>
          )
        ) : (
          <>
            {offered.includes(platform) && (
              <Button
                component="a"
                href={`/login/console/with/${platform}?to=/console/me`}
                size="compact-sm"
                variant="default"
                aria-label={t('chatAccounts.switchTo', { name, platform: platformName(platform) })}
              >
                {t('chatAccounts.switch')}
              </Button>
            )}
            <UnlinkChatAccount account={account} />
          </>
        )
      }
    />
  );
}

/** The platform of another account, and the wallets that both have linked. */
function sharedIn({ platform, sharedWallets }: ChatAccount): string {
  const [first = '', ...others] = sharedWallets;
  return others.length === 0
    ? t('chatAccounts.sharesOne', { platform: platformName(platform), address: shortAddress(first) })
    : t('chatAccounts.sharesMany', { platform: platformName(platform), count: sharedWallets.length });
}

/** Explains how another chat account is linked: by proving the same wallet there. */
function LinkChatAccount({ platform, onClose }: { platform: string | undefined; onClose(): void }) {
  const params = { platform: platformName(platform ?? '') };
  return (
    <Dialog isOpen={platform !== undefined} title={t('chatAccounts.linkTitle', params)} onClose={onClose}>
      <p>{t('chatAccounts.linkHow', params)}</p>
      <p>{t('chatAccounts.linkOnce')}</p>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button component="a" href={`/login/connect/with/${platform}`}>
          {t('common.signInWith', params)}
        </Button>
      </Group>
    </Dialog>
  );
}

/** The linked X account. Latchkey keeps no access to it. */
function XRow({ account, unlink }: { account: NonNullable<XLink['account']>; unlink: XLink['unlink'] }) {
  const name = `@${account.name ?? account.id}`;
  return (
    <Row
      picture={<Picture name="X" />}
      title={name}
      note={t.rich('x.about', { time: <Time key="time" at={account.linkedTime} /> })}
      actions={
        <ConfirmButton
          label={t('common.unlink')}
          look={{ size: 'compact-sm', 'aria-label': t('x.unlinkOne', { name }) }}
          title={t('chatAccounts.unlinkTitle', { name })}
          yes={t('x.unlinkYes')}
          isDangerous
          action={unlink}
          onYes={() => unlink.runAsync({})}
        >
          <p>{t('x.unlinkAbout')}</p>
        </ConfirmButton>
      }
    />
  );
}

/** Unlinks another account: the wallets that both have linked are unlinked here. */
function UnlinkChatAccount({ account }: { account: ChatAccount }) {
  const unlink = useAction('DELETE /account/wallets/{address}', {
    changes: ['GET /latchkey/account/chat-accounts', 'GET /latchkey/account/wallets'],
  });
  const { sharedWallets: wallets, platform } = account;
  const name = nameOf(account);
  const where = { platform: platformName(platform) };
  const unlinkAll = async () => {
    for (const address of wallets) await unlink.runAsync({ address });
  };
  return (
    <ConfirmButton
      label={t('common.unlink')}
      look={{ size: 'compact-sm', 'aria-label': t('chatAccounts.unlinkOne', { name, ...where }) }}
      title={t('chatAccounts.unlinkTitle', { name })}
      yes={t('chatAccounts.unlinkYes', { count: wallets.length })}
      isDangerous
      action={unlink}
      onYes={unlinkAll}
    >
      <p>{t('chatAccounts.unlinkAbout', { wallets: t.list(wallets.map(shortAddress)), ...where })}</p>
    </ConfirmButton>
  );
}

type ChatAccount = Answer<'GET /latchkey/account/chat-accounts'>['items'][number];

/** Returns the display name of an account. */
function nameOf({ name, accountId }: ChatAccount): string {
  return name ?? accountId.split('#').at(-1) ?? accountId;
}

const read = 'GET /latchkey/account/x';

interface XLink {
  account: Answer<typeof read>['account'];
  /** This server supports it, and no account is linked yet. */
  canLink: boolean;
  isRunning: boolean;
  /** A sentence on what happens. */
  note: string;
  error: unknown;
  link(): Promise<void>;
  unlink: Action<'DELETE /latchkey/account/x'>;
}

/** The linked X account, for rules that read it. */
function useXLink(): XLink {
  const queries = useQueryClient();
  const { data: x } = useOperation(read, {});
  const [note, setNote] = useState('');
  const stopWaiting = useRef<() => void>(undefined);
  useEffect(() => () => stopWaiting.current?.(), []);
  const begin = useAction('POST /latchkey/account/x/attempts');
  const finish = useAction('POST /latchkey/account/x', {
    onDone: () => {
      setNote(t('x.linked'));
      void queries.invalidateQueries({ queryKey: [read] });
    },
  });
  const unlink = useAction('DELETE /latchkey/account/x', {
    changes: [read],
    onDone: () => setNote(t('x.unlinked')),
  });

  const back = ({ state, code }: ReturnedFromX) => {
    if (code === undefined) setNote(t('x.denied'));
    else finish.run({ body: { state, code } });
  };
  const link = async () => {
    // Opened by the click itself, because browsers block it otherwise. It goes to X once the server has returned the URL.
    const tab = window.open('', '_blank');
    if (tab === null) return setNote(t('x.blocked'));
    try {
      const { url, state } = await begin.runAsync({});
      stopWaiting.current?.();
      stopWaiting.current = waitForReturn(state, back);
      setNote(t('x.waiting'));
      tab.location.href = url;
    } catch {
      tab.close();
    }
  };

  return {
    account: x?.account,
    canLink: x?.isOffered === true && x.account === undefined,
    isRunning: begin.isRunning || finish.isRunning,
    note,
    error: begin.error ?? finish.error,
    link,
    unlink,
  };
}
