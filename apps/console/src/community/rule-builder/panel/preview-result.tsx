import { Alert, Text } from '@mantine/core';
import type { Answer } from '../../../shared/api/index.ts';
import { IconAlertTriangle } from '../../../shared/icons.ts';
import styles from '../builder.module.css';
import { t } from '../messages/index.ts';

type Preview = Answer<'POST /latchkey/communities/{communityId}/rule-drafts/preview'>;

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
          title={t('preview.losing', { count: loses })}
        >
          {t(isHeld ? 'common.heldRemovals' : 'preview.takenSoon')}
        </Alert>
      )}
      <dl className={styles.counts}>
        <Stat title={t('preview.gain')} value={gains} />
        <Stat title={t('preview.lose')} value={loses} />
        <Stat title={t('preview.keep')} value={keeps} />
        <Stat title={t('preview.unknown')} value={unknown} />
      </dl>
      {!isWhole && (
        <Text size="sm" c="dimmed">
          {t('preview.ofFirst', { count: checked })}
        </Text>
      )}
      {all === 0 && <Text size="sm">{t('preview.noChange')}</Text>}
      {named > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard.
        <ul className={styles.people} aria-label={t('preview.members')} tabIndex={0}>
          {people.map(({ userId, userName, roleId, roleName, outcome }) => (
            <li key={`${userId} ${roleId}`}>
              <span title={userName ?? userId}>{userName ?? userId}</span>
              <span>{t('preview.outcome', { outcome, role: roleName ?? t('common.theRole') })}</span>
            </li>
          ))}
        </ul>
      )}
      {named < all && (
        <Text size="sm" c="dimmed">
          {t('preview.notListed', { count: all - named })}
        </Text>
      )}
    </>
  );
}

function Stat({ title, value }: { title: string; value: number }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{t.number(value)}</dd>
    </div>
  );
}
