import { Button, SegmentedControl } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ItemOf, useAction, useLive, usePages } from '../../shared/api/index.ts';
import { ShadowNotice } from '../../shared/parts/shadow-notice.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { EmptyState, Failure, Page, PagedList, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { causeInWords, changesInWords, decisionInWords, statusOf } from '../change-set-words.ts';
import { t } from '../messages/index.ts';
import { Following } from './following.tsx';
import styles from './role-changes.module.css';

const route = 'GET /latchkey/communities/{communityId}/change-sets';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const { show, after }: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const isWaiting = show !== 'all';
  const changeSets = usePages(route, { communityId, ...(isWaiting && { status: 'held' as const }) });
  const preview = usePreviewCheck(communityId);
  useLive({ communityId });
  return (
    <Page title={t('roleChanges.title')} lead={t('roleChanges.lead')} actions={preview.button}>
      <ShadowNotice communityId={communityId} />
      {after !== undefined && <Following key={String(after)} communityId={communityId} ruleChangeId={String(after)} />}
      {preview.failure}
      <Section
        title={isWaiting ? t('roleChanges.waiting') : t('roleChanges.all')}
        actions={
          <SegmentedControl
            aria-label={t('roleChanges.which')}
            data={[
              { value: 'waiting', label: t('roleChanges.showWaiting') },
              { value: 'all', label: t('roleChanges.showAll') },
            ]}
            value={isWaiting ? 'waiting' : 'all'}
            onChange={(value) =>
              void navigate({ to: '.', search: value === 'all' ? { show: 'all' } : {}, replace: true })
            }
          />
        }
      >
        <PagedList
          pages={changeSets}
          loading={t('roleChanges.loading')}
          more={t('roleChanges.more')}
          keyOf={({ id }) => id}
          empty={
            isWaiting ? (
              <EmptyState title={t('roleChanges.noneWaitingTitle')}>{t('roleChanges.noneWaiting')}</EmptyState>
            ) : (
              <EmptyState title={t('roleChanges.emptyTitle')}>{t('roleChanges.empty')}</EmptyState>
            )
          }
        >
          {(changeSet) => <ChangeSetRow communityId={communityId} changeSet={changeSet} />}
        </PagedList>
      </Section>
    </Page>
  );
}

function ChangeSetRow({ communityId, changeSet }: { communityId: string; changeSet: ItemOf<typeof route> }) {
  const [word, tone] = statusOf(changeSet);
  const decision = decisionInWords(changeSet);
  return (
    <Row
      title={
        <Link
          className={styles.link}
          to="/communities/$communityId/role-changes/$changeSetId"
          params={{ communityId, changeSetId: changeSet.id }}
        >
          {changesInWords(changeSet)}
        </Link>
      }
      states={
        <>
          <State tone={tone}>{word}</State>
          {changeSet.unknowns > 0 && (
            <State tone="warn">{t('roleChanges.unknown', { count: changeSet.unknowns })}</State>
          )}
        </>
      }
      note={
        <>
          {changeSet.note !== undefined && <span className={styles.note}>{changeSet.note}</span>}
          {t('roleChanges.after', { cause: causeInWords(changeSet) })} · <Time at={changeSet.createdTime} isRelative />
          {decision !== undefined && ` · ${decision}`}
        </>
      }
    />
  );
}

const preview = 'POST /latchkey/communities/{communityId}/change-sets';

/** Shows what a check of all members would change, as a change set that is written only if it is approved. */
function usePreviewCheck(communityId: string) {
  const navigate = useNavigate();
  const check = useAction(preview, {
    changes: ['GET /latchkey/communities/{communityId}/change-sets'],
    onDone: ({ id }) =>
      void navigate({
        to: '/communities/$communityId/role-changes/$changeSetId',
        params: { communityId, changeSetId: id },
      }),
  });
  return {
    button: (
      <Button variant="default" loading={check.isRunning} onClick={() => check.run({ communityId, body: {} })}>
        {t('roleChanges.preview')}
      </Button>
    ),
    failure: <Failure error={check.error} />,
  };
}
