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
import { counted } from '../../shared/words.ts';
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
      title="Chat accounts"
      lead="Roles belong to the account that is in the chat. Accounts that linked the same wallet are shown together."
      actions={
        (offered.length > 0 || x.canLink) && (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" loading={x.isRunning}>
                Link an account
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
      {isLoading && <Loading what="your chat accounts" lines={2} />}
      {data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && items.length === 0 && x.account === undefined && (
        <EmptyState title="No chat account yet">
          You are signed in with a wallet. Link the account that you chat with to get roles there.
        </EmptyState>
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
  const { platform, isCurrent, sharedWallets } = account;
  const name = nameOf(account);
  return (
    <Row
      picture={<PlatformTile platform={platform} />}
      title={name}
      states={isCurrent && <State tone="good">Signed in</State>}
      note={isCurrent ? platformName(platform) : `${platformName(platform)} · shares ${walletWords(sharedWallets)}`}
      actions={
        isCurrent ? (
          platform === 'discord' &&
          offered.includes(platform) && (
            <Button component={Link} to="/me/linked-roles" size="compact-sm" variant="default">
              Linked roles
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
                aria-label={`Switch to ${name} on ${platformName(platform)}`}
              >
                Switch
              </Button>
            )}
            <UnlinkChatAccount account={account} />
          </>
        )
      }
    />
  );
}

function walletWords(addresses: readonly string[]): string {
  const [first = '', ...others] = addresses;
  return others.length === 0 ? `the wallet ${shortAddress(first)}` : counted(addresses.length, 'wallet');
}

/** Explains how another chat account is linked: by proving the same wallet there. */
function LinkChatAccount({ platform, onClose }: { platform: string | undefined; onClose(): void }) {
  const title = platformName(platform ?? '');
  return (
    <Dialog isOpen={platform !== undefined} title={`Link a ${title} account`} onClose={onClose}>
      <p>
        Sign in with {title} and link a wallet that is linked here too. The wallet then counts for your roles in both
        chats, and both accounts are listed here.
      </p>
      <p>In one community a wallet counts for one account only. You stay signed in here.</p>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button component="a" href={`/login/connect/with/${platform}`}>
          Sign in with {title}
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
      note={
        <>
          X, for what it shows publicly · linked <Time at={account.linkedTime} />
        </>
      }
      actions={
        <ConfirmButton
          label="Unlink"
          look={{ size: 'compact-sm', 'aria-label': `Unlink ${name} on X` }}
          title={`Unlink ${name}?`}
          yes="Unlink X account"
          isDangerous
          action={unlink}
          onYes={() => unlink.runAsync({})}
        >
          <p>Roles that depend on your X account are removed in every community. You can link it again later.</p>
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
  const unlinkAll = async () => {
    for (const address of wallets) await unlink.runAsync({ address });
  };
  return (
    <ConfirmButton
      label="Unlink"
      look={{ size: 'compact-sm', 'aria-label': `Unlink ${nameOf(account)} on ${platformName(platform)}` }}
      title={`Unlink ${nameOf(account)}?`}
      yes={`Unlink ${counted(wallets.length, 'wallet')}`}
      isDangerous
      action={unlink}
      onYes={unlinkAll}
    >
      <p>
        The accounts belong together because both linked {wallets.map(shortAddress).join(', ')}. To separate them, the
        wallet is unlinked from this account. Your roles here that depend on it are removed. Nothing changes on{' '}
        {platformName(platform)}; to unlink it there, switch to that account.
      </p>
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
      setNote('Your X account is linked. Your roles follow in a moment.');
      void queries.invalidateQueries({ queryKey: [read] });
    },
  });
  const unlink = useAction('DELETE /latchkey/account/x', {
    changes: [read],
    onDone: () => setNote('Your X account is unlinked.'),
  });

  const back = ({ state, code }: ReturnedFromX) => {
    if (code === undefined) setNote('You did not allow it on X. Nothing was linked.');
    else finish.run({ body: { state, code } });
  };
  const link = async () => {
    // Opened by the click itself, because browsers block it otherwise. It goes to X once the server has returned the URL.
    const tab = window.open('', '_blank');
    if (tab === null) return setNote('Your browser blocked the window. Allow pop-ups for this site.');
    try {
      const { url, state } = await begin.runAsync({});
      stopWaiting.current?.();
      stopWaiting.current = waitForReturn(state, back);
      setNote('Waiting for X …');
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
