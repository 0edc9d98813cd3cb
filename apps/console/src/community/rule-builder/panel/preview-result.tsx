import { Alert, Text } from '@mantine/core';
import type { Answer } from '../../../shared/api/index.ts';
import { IconAlertTriangle } from '../../../shared/icons.tsx';
import { counted } from '../../../shared/words.ts';
import styles from '../builder.module.css';

type Preview = Answer<'POST /latchkey/communities/{communityId}/rule-drafts/preview'>;

const outcomes = { gains: 'Gains', loses: 'Loses', unknown: 'Could not check' } as const;

/** What saving would change, in counts and names. */
export function PreviewResult({ preview }: { preview: Preview }) {
  const { gains, loses, unknown, keeps, isHeld, isWhole, checked, people } = preview;
  const named = people.length;
  const all = gains + loses + unknown;
  return (
    <>
      {loses > 0 && (
        <Alert
          color={isHeld ? 'red' : 'yellow'}
          icon={<IconAlertTriangle />}
          title={`${counted(loses, 'member')} would lose the role`}
        >
          {isHeld
            ? 'Removals this large need an admin’s approval under Role changes.'
            : 'The role is taken from them with the next check.'}
        </Alert>
      )}
      <dl className={styles.counts}>
        <Stat title="gain" value={gains} />
        <Stat title="lose" value={loses} />
        <Stat title="keep" value={keeps} />
        <Stat title="unknown" value={unknown} />
      </dl>
      {!isWhole && (
        <Text size="sm" c="dimmed">
          {`Of the first ${checked.toLocaleString()} members; the community has more.`}
        </Text>
      )}
      {all === 0 && <Text size="sm">No members gain or lose the role.</Text>}
      {named > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard.
        <ul className={styles.people} aria-label="Members" tabIndex={0}>
          {people.map(({ userId, userName, roleId, roleName, outcome }) => (
            <li key={`${userId} ${roleId}`}>
              <span title={userName ?? userId}>{userName ?? userId}</span>
              <span>{`${outcomes[outcome]} ${roleName ?? 'the role'}`}</span>
            </li>
          ))}
        </ul>
      )}
      {named < all && <Text size="sm" c="dimmed">{`${(all - named).toLocaleString()} more are not listed.`}</Text>}
    </>
  );
}

function Stat({ title, value }: { title: string; value: number }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{value.toLocaleString()}</dd>
    </div>
  );
}
