import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmButton, Query, Section, State, Time } from '../../shared/ui/index.ts';
import { webLink } from '../../shared/web-link.ts';
import { t } from '../messages/index.ts';
import styles from './rules-file.module.css';

const route = 'GET /latchkey/communities/{communityId}/rule-set/source';
type Found = Answer<typeof route>;

/** Which file was applied last, whether the rules were changed elsewhere since, and the lock. */
export function Source({ communityId }: { communityId: string }) {
  const source = useOperation(route, { communityId });
  return (
    <Section title={t('rulesFile.source')}>
      <Query read={source} loading={t('rulesFile.loadingSource')} lines={2}>
        {(found) => (
          <>
            <Applied found={found} />
            <Lock communityId={communityId} found={found} />
          </>
        )}
      </Query>
    </Section>
  );
}

function Applied({ found: { applied, moved, lock } }: { found: Found }) {
  const state =
    moved.length > 0 ? (
      <State tone="warn">{t('rulesFile.moved')}</State>
    ) : (
      applied !== undefined && <State tone="good">{t('rulesFile.asInFile')}</State>
    );
  return (
    <div className={styles.facts}>
      <div className={styles.states}>
        <State tone={lock === undefined ? 'plain' : 'good'}>
          {t(
            lock !== undefined ? 'rulesFile.locked' : applied === undefined ? 'rulesFile.byHand' : 'rulesFile.managed',
          )}
        </State>
        {state}
      </div>
      {applied === undefined ? (
        <Text size="sm">{t(lock === undefined ? 'rulesFile.neverApplied' : 'rulesFile.notYetApplied')}</Text>
      ) : (
        <dl className={styles.list}>
          <Fact name={t('rulesFile.file')}>{applied.file ?? t('rulesFile.notNamed')}</Fact>
          {applied.repository !== undefined && (
            <Fact name={t('rulesFile.repository')}>
              <Repository address={applied.repository} />
            </Fact>
          )}
          {applied.commit !== undefined && (
            <Fact name={t('rulesFile.commit')}>
              <code title={applied.commit}>{applied.commit.slice(0, 12)}</code>
            </Fact>
          )}
          <Fact name={t('rulesFile.applied')}>
            {t.rich(applied.isByKey ? 'rulesFile.appliedByKey' : 'rulesFile.appliedBy', {
              time: <Time key="time" at={applied.time} isRelative />,
              name: nameOf(applied),
            })}
          </Fact>
        </dl>
      )}
      {moved.length > 0 && (
        <Alert color="yellow" title={t(moved.includes('rules') ? 'rulesFile.movedRules' : 'rulesFile.movedBrakes')}>
          {t('rulesFile.movedHow')}
        </Alert>
      )}
    </div>
  );
}

/** Operators act by keys of their own, which have no name that members know. */
function nameOf({ by, byName }: { by: string; byName?: string }): string {
  return byName ?? (by.startsWith('$admin/') ? t('rulesFile.operator') : by);
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Repository({ address }: { address: string }) {
  const link = webLink(address);
  return link === undefined ? (
    address
  ) : (
    <a href={link} target="_blank" rel="noopener noreferrer">
      {address}
    </a>
  );
}

function Lock({ communityId, found: { applied, lock } }: { communityId: string; found: Found }) {
  const turnOn = useAction('PUT /latchkey/communities/{communityId}/rule-set/lock', {
    done: t('rulesFile.lockedNow'),
    changes: [route],
  });
  const turnOff = useAction('DELETE /latchkey/communities/{communityId}/rule-set/lock', {
    done: t('rulesFile.unlockedNow'),
    changes: [route],
  });
  if (lock === undefined)
    return (
      <div className={styles.lock}>
        <Text size="sm">{t('rulesFile.lockLead')}</Text>
        <ConfirmButton
          label={t('rulesFile.lock')}
          title={t('rulesFile.lockTitle')}
          yes={t('rulesFile.lockYes')}
          action={turnOn}
          onYes={() => turnOn.runAsync({ communityId })}
        >
          <p>{t('rulesFile.lockWhat')}</p>
          <p>
            {applied?.isByKey === true ? t('rulesFile.lockKey', { name: nameOf(applied) }) : t('rulesFile.lockAnyKey')}
          </p>
          <p>{t('rulesFile.lockWho')}</p>
        </ConfirmButton>
      </div>
    );
  return (
    <div className={styles.lock}>
      <Text size="sm">
        {t.rich('rulesFile.lockedBy', {
          name: nameOf(lock),
          time: <Time key="time" at={lock.time} isRelative />,
        })}{' '}
        {lock.toName === undefined ? t('rulesFile.lockedToAny') : t('rulesFile.lockedTo', { name: lock.toName })}
      </Text>
      {lock.canUnlock ? (
        <ConfirmButton
          label={t('rulesFile.unlock')}
          title={t('rulesFile.unlockTitle')}
          yes={t('rulesFile.unlockYes')}
          isDangerous
          action={turnOff}
          onYes={() => turnOff.runAsync({ communityId })}
        >
          <p>{t('rulesFile.unlockWhat')}</p>
        </ConfirmButton>
      ) : (
        <Text size="sm" c="dimmed">
          {t('rulesFile.cannotUnlock')}
        </Text>
      )}
    </div>
  );
}
