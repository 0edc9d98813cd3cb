import type { Answer } from '../../shared/api/index.ts';
import styles from './overview.module.css';

type Health = Answer<'GET /latchkey/communities/{communityId}/health'>;

/** How many members there are, and how far they came. */
export function Stats({ health }: { health: Health }) {
  const { members, membersWithWallets, holders, rules } = health;
  const stats = [
    { title: 'Members', value: members },
    { title: 'With a wallet', value: membersWithWallets, share: shareOf(membersWithWallets, members) },
    { title: 'With a role from a rule', value: holders, share: shareOf(holders, members) },
    { title: 'Rules', value: rules },
  ];
  return (
    <dl className={styles.stats}>
      {stats.map(({ title, value, share }) => (
        <div key={title} className={styles.stat}>
          <dt>{title}</dt>
          <dd>
            <span className={styles.value}>{value.toLocaleString()}</span>
            {share !== undefined && <span className={styles.share}>{share}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function shareOf(part: number, whole: number): string | undefined {
  return whole === 0 ? undefined : new Intl.NumberFormat(undefined, { style: 'percent' }).format(part / whole);
}
