import { Button, Group, Menu, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type ReturnedFromX, waitForReturn } from '../../account/x-channel.ts';
import { platformName, shortAddress } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import {
  ConfirmDialog,
  EmptyState,
  Failure,
  Loading,
  Picture,
  Row,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import styles from './me.module.css';

type Platform = ChatAccount['platform'];
const list = 'GET /latchkey/account/chat-accounts';

/** The accounts on chat platforms that belong to the person, and the X account. */
export function ChatAccounts() {
  const { data, error, isLoading, refetch } = useOperation(list, {});
  const x = useXLink();
  const [linking, setLinking] = useState<Platform>();
  const [leaving, setLeaving] = useState<ChatAccount>();
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
      <ul className={styles.rows}>
        {items.map((account) => (
          <li key={account.accountId}>
            <AccountRow account={account} offered={offered} onUnlink={() => setLeaving(account)} />
          </li>
        ))}
        {x.account !== undefined && (
          <li>
            <XRow account={x.account} unlink={x.unlink} />
          </li>
        )}
      </ul>
      <p role="status" className={styles.note}>
        {x.note}
      </p>
      <Failure error={x.error} />
      <LinkChatAccount platform={linking} onClose={() => setLinking(undefined)} />
      <UnlinkChatAccount account={leaving} onClose={() => setLeaving(undefined)} />
    </Section>
  );
}

interface AccountRowProps {
  account: ChatAccount;
  offered: readonly Platform[];
  onUnlink(): void;
}

function AccountRow({ account, offered, onUnlink }: AccountRowProps) {
  const { platform, isCurrent, sharedWallets } = account;
  const name = nameOf(account);
  return (
    <Row
      picture={<Picture name={platformName(platform)} />}
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
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Unlink ${name} on ${platformName(platform)}`}
              onClick={onUnlink}
            >
              Unlink
            </Button>
          </>
        )
      }
    />
  );
}

function walletWords(addresses: readonly string[]): string {
  const [first = '', ...others] = addresses;
  return others.length === 0 ? `the wallet ${shortAddress(first)}` : `${addresses.length} wallets`;
}

/** How another chat account is linked: by proving the same wallet there. */
function LinkChatAccount({ platform, onClose }: { platform: string | undefined; onClose(): void }) {
  const title = platformName(platform ?? '');
  return (
    <Modal
      opened={platform !== undefined}
      onClose={onClose}
      title={`Link a ${title} account`}
      data-dialog-open={platform !== undefined || undefined}
    >
      <Stack gap="md">
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
      </Stack>
    </Modal>
  );
}

/** The linked X account. Latchkey keeps no access to it. */
function XRow({ account, unlink }: { account: NonNullable<XLink['account']>; unlink: XLink['unlink'] }) {
  const [isLeaving, setIsLeaving] = useState(false);
  const name = `@${account.name ?? account.id}`;
  const close = () => {
    setIsLeaving(false);
    unlink.reset();
  };
  return (
    <>
      <Row
        picture={<Picture name="X" />}
        title={name}
        note={
          <>
            X, for what it shows publicly · linked <Time at={account.linkedTime} />
          </>
        }
        actions={
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Unlink ${name} on X`}
            onClick={() => setIsLeaving(true)}
          >
            Unlink
          </Button>
        }
      />
      <ConfirmDialog
        isOpen={isLeaving}
        title={`Unlink ${name}?`}
        yes="Unlink X account"
        isDangerous
        isRunning={unlink.isRunning}
        error={unlink.error}
        onYes={async () => {
          if (await unlink.run()) close();
        }}
        onNo={close}
      >
        <p>Roles that depend on your X account are removed in every community. You can link it again later.</p>
      </ConfirmDialog>
    </>
  );
}

/** Separates another account from this one: the wallets that both have linked are unlinked here. */
function UnlinkChatAccount({ account, onClose }: { account: ChatAccount | undefined; onClose(): void }) {
  const [error, setError] = useState<unknown>();
  const unlink = useAction('DELETE /account/wallets/{address}', {
    changes: ['GET /latchkey/account/chat-accounts', 'GET /latchkey/account/wallets'],
  });
  const close = () => {
    setError(undefined);
    onClose();
  };
  const unlinkAll = async () => {
    setError(undefined);
    try {
      for (const address of account?.sharedWallets ?? []) await unlink.runAsync({ address });
      close();
    } catch (problem) {
      setError(problem);
    }
  };
  const wallets = account?.sharedWallets ?? [];
  return (
    <ConfirmDialog
      isOpen={account !== undefined}
      title={`Unlink ${account === undefined ? 'this account' : nameOf(account)}?`}
      yes={wallets.length === 1 ? 'Unlink 1 wallet' : `Unlink ${wallets.length} wallets`}
      isDangerous
      isRunning={unlink.isRunning}
      error={error}
      onYes={() => void unlinkAll()}
      onNo={close}
    >
      <p>
        The accounts belong together because both linked {wallets.map(shortAddress).join(', ')}. To separate them, the
        wallet is unlinked from this account. Your roles here that depend on it are removed. Nothing changes on{' '}
        {platformName(account?.platform ?? '')}; to unlink it there, switch to that account.
      </p>
    </ConfirmDialog>
  );
}

type ChatAccount = Answer<'GET /latchkey/account/chat-accounts'>['items'][number];

/** What people know an account by. */
function nameOf({ name, accountId }: ChatAccount): string {
  return name ?? accountId.split('#').at(-1) ?? accountId;
}

const read = 'GET /latchkey/account/x';

interface XLink {
  account: Answer<typeof read>['account'];
  /** This server offers it, and no account is linked yet. */
  canLink: boolean;
  isRunning: boolean;
  /** How it goes, as a sentence. */
  note: string;
  error: unknown;
  link(): Promise<void>;
  unlink: { run(): Promise<boolean>; isRunning: boolean; error: unknown; reset(): void };
}

/** The linked X account, for rules that look at it. */
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
    // Opened by the click itself, or browsers block it; it goes to X once the server has said where.
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
    unlink: {
      run: () =>
        unlink.runAsync({}).then(
          () => true,
          () => false,
        ),
      isRunning: unlink.isRunning,
      error: unlink.error,
      reset: unlink.reset,
    },
  };
}
