import { Button, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { platformName, shortAddress } from '../../parts/names.ts';
import { useOperation } from '../../shared/api/index.ts';
import { EmptyState, Failure, Loading, Picture, Row, Section, State } from '../../shared/ui/index.ts';
import { type ChatAccount, nameOf } from './chat-account.ts';
import { LinkChatAccount } from './link-chat-account.tsx';
import styles from './me.module.css';
import { UnlinkChatAccount } from './unlink-chat-account.tsx';
import { useXLink } from './use-x-link.ts';
import { XRow } from './x-row.tsx';

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
