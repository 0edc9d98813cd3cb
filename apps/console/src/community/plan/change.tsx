import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ItemOf } from '../../shared/api/index.ts';
import { Why } from '../../shared/reasons/index.ts';
import { Picture, Row, State, type Tone } from '../../shared/ui/index.ts';
import styles from './plan.module.css';

type Item = ItemOf<'GET /latchkey/communities/{communityId}/role-plans/{planId}'>;

const states: Readonly<Record<Item['state'], [string, Tone]>> = {
  planned: ['Waits', 'plain'],
  pending: ['Being applied', 'plain'],
  sent: ['Being applied', 'plain'],
  confirmed: ['Done', 'good'],
  failed: ['Refused', 'bad'],
  gone: ['Member left', 'plain'],
  dropped: ['Not needed', 'plain'],
};

/** One role of one member: gained or lost, how far it is, and why. */
export function Change({ communityId, change }: { communityId: string; change: Item }) {
  const { userId, userName, roleId, roleName, action, state, error, words, lines, blocks } = change;
  const native = userId.split('#').at(-1) ?? userId;
  const name = userName ?? native;
  const role = roleName ?? `role ${roleId}`;
  const what = action === 'grant' ? `gets ${role}` : `loses ${role}`;
  const [word, tone] = states[state];
  return (
    <div className={styles.change}>
      <Row
        picture={<Picture name={name} size={24} />}
        title={
          <>
            <Link
              className={styles.name}
              to="/communities/$communityId/members/$userId"
              params={{ communityId, userId: native }}
              title={name}
            >
              {name}
            </Link>{' '}
            {what}
          </>
        }
        states={<State tone={tone}>{word}</State>}
      />
      {error !== undefined && (
        <Text size="sm" c="var(--bad)">
          {error}
        </Text>
      )}
      <Why words={words} lines={lines} blocks={blocks} about={`${name} ${what}`} />
    </div>
  );
}
