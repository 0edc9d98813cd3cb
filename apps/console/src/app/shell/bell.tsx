import { Menu, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Answer, useLive, useOperation } from '../../shared/api/index.ts';
import { IconBell } from '../../shared/icons.tsx';
import { useSession } from '../../shared/session.ts';
import { Time } from '../../shared/ui/index.ts';
import styles from './shell.module.css';

type WaitingItem = Answer<'GET /latchkey/account/waiting'>['items'][number];

const shown = 8;
const checkMs = 60_000;

/** What waits for whoever is signed in: the bell rings with a number, and leads to the very page. */
export function Bell() {
  const { isOperator } = useSession();
  useLive(isOperator ? 'operator' : 'account');
  const { data } = useOperation('GET /latchkey/account/waiting', {}, { everyMs: checkMs });
  const items = data?.items ?? [];
  const count = data?.hasMore === true ? `${items.length}+` : String(items.length);
  return (
    <Menu position="bottom-end" width={340}>
      <Menu.Target>
        <UnstyledButton className={styles.bell} aria-label={sayWaiting(count)}>
          <IconBell size={20} stroke={1.75} aria-hidden="true" />
          {items.length > 0 && (
            <span className={styles.count} aria-hidden="true">
              {count}
            </span>
          )}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {items.length === 0 && <Menu.Label>Nothing waits for you.</Menu.Label>}
        {items.slice(0, shown).map((item) => (
          <Menu.Item key={`${item.kind} ${item.id}`} renderRoot={(props) => <Link {...props} {...placeOf(item)} />}>
            <span className={styles.waiting}>
              <strong>{item.communityName ?? item.name}</strong>
              <span>{item.text}</span>
              <small>
                <Time at={item.sinceTime} isRelative />
              </small>
            </span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function sayWaiting(count: string): string {
  if (count === '0') return 'Nothing waits for you';
  return count === '1' ? '1 thing waits for you' : `${count} things wait for you`;
}

function placeOf({ kind, id, communityId = '' }: WaitingItem): {
  to: string;
  params?: { communityId: string; changeSetId?: string };
} {
  switch (kind) {
    case 'held-change-set':
      return { to: '/communities/$communityId/role-changes/$changeSetId', params: { communityId, changeSetId: id } };
    case 'blocked-role':
      return { to: '/communities/$communityId/setup', params: { communityId } };
    default:
      return { to: '/operator/approvals' };
  }
}
