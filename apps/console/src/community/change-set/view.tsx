import { Alert, Progress } from '@mantine/core';
import { type Answer, useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Page, Query, Section, State, Time } from '../../shared/ui/index.ts';
import { adminName, causeInWords, decisionInWords, statusOf } from '../change-set-words.ts';
import { t } from '../messages/index.ts';
import styles from './change-set.module.css';
import { Decide } from './decide.tsx';
import { Members } from './members.tsx';
import { RuleDiff, useRuleEdit } from './rule-diff.tsx';
import { Timeline } from './timeline.tsx';
import { titleOf } from './title.ts';

const route = 'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}';
type Details = Answer<typeof route>;

/** Rules shown with what changed in them; an import can have changed more. */
const mostDiffs = 5;

/** A change set like a pull request: what it does and why, who asked for it, and what can be decided about it. */
export function View() {
  const { communityId, changeSetId } = useScreenParams('communityId', 'changeSetId');
  const found = useOperation(route, { communityId, changeSetId, limit: 1 });
  useLive({ communityId });
  const details = found.data;
  const only = details?.rules.length === 1 ? details.rules[0] : undefined;
  const edit = useRuleEdit(communityId, only?.ruleId, details?.changeSet.ruleChangeIds ?? []);
  return (
    <Page
      title={details === undefined ? t('roleChanges.title') : titleOf(details, edit)}
      crumbs={[{ title: t('roleChanges.title'), to: `/communities/${encodeURIComponent(communityId)}/role-changes` }]}
      actions={details !== undefined && <Decide communityId={communityId} details={details} />}
    >
      <Query read={found} loading={t('changeSet.loading')}>
        {(data) => (
          <>
            <Facts details={data} />
            <Notices details={data} />
            {data.rules.length > 0 && (
              <Section title={t('ruleEdit.title', { count: data.rules.length })}>
                {data.rules.slice(0, mostDiffs).map((rule) => (
                  <RuleDiff
                    key={rule.ruleId}
                    communityId={communityId}
                    rule={rule}
                    ruleChangeIds={data.changeSet.ruleChangeIds}
                  />
                ))}
                {data.changeSet.ruleChangeIds.length > mostDiffs && data.rules.length > mostDiffs && (
                  <p className={styles.note}>{t('ruleEdit.more')}</p>
                )}
              </Section>
            )}
            <Totals details={data} />
            <Reasons communityId={communityId} changeSetId={changeSetId} />
            <Members communityId={communityId} changeSetId={changeSetId} />
            <Timeline communityId={communityId} details={data} />
          </>
        )}
      </Query>
    </Page>
  );
}

/** The status, the cause and the decision, in one line. */
function Facts({ details: { changeSet, approvals, approvers } }: { details: Details }) {
  const [word, tone] = statusOf(changeSet);
  const decision = decisionInWords(changeSet);
  const names = approvals.map(({ userName, userId }) => adminName(userId, userName));
  return (
    <p className={styles.facts}>
      <State tone={tone}>{word}</State>
      <span>
        {t.rich('changeSet.after', {
          cause: causeInWords(changeSet),
          time: <Time key="time" at={changeSet.createdTime} />,
        })}
      </span>
      {changeSet.status === 'held' && approvers > 1 && (
        <span>
          {names.length === 0
            ? t('changeSet.needsApprovals', { count: approvers })
            : t('changeSet.approvedByPart', {
                count: names.length,
                needed: approvers,
                names: t.list(names, 'and'),
              })}
        </span>
      )}
      {decision !== undefined && (
        <span>
          {changeSet.decidedTime === undefined
            ? decision
            : t.rich('changeSet.decided', { decision, time: <Time key="time" at={changeSet.decidedTime} /> })}
        </span>
      )}
    </p>
  );
}

/** Why it is held or how it ended, how far it is, and who could not be checked. */
function Notices({ details: { changeSet } }: { details: Details }) {
  const { status, note, unknowns } = changeSet;
  return (
    <>
      {['approved', 'applying'].includes(status) && <Applying changeSet={changeSet} />}
      {note !== undefined && (
        <Alert
          color={status === 'held' ? 'yellow' : 'gray'}
          title={status === 'held' ? t('changeSet.whyHeld') : t('changeSet.note')}
        >
          {note}
        </Alert>
      )}
      {unknowns > 0 && (
        <Alert color="yellow" title={t('changeSet.unknownTitle')}>
          {t('changeSet.unknown', { count: unknowns })}
        </Alert>
      )}
    </>
  );
}

function Applying({ changeSet: { grants, revokes, waiting } }: Pick<Details, 'changeSet'>) {
  const all = grants + revokes;
  const done = Math.max(0, all - waiting);
  return (
    <div className={styles.progress}>
      <Progress value={all === 0 ? 0 : (100 * done) / all} aria-label={t('changeSet.applied', { done, all })} />
      <p role="status">{t('changeSet.applying', { done, all })}</p>
    </div>
  );
}

/** What it does to each role: planned, and what became of it. */
function Totals({ details: { changeSet, shares } }: { details: Details }) {
  const { dropped, failed, gone } = changeSet;
  const unwritten = [
    ...changeSet.dropReasons.map(({ reason, changes }) => t(`changeSet.dropped.${reason}`, { count: changes })),
    ...(failed > 0 ? [t('changeSet.refused', { count: failed })] : []),
    ...(gone > 0 ? [t('changeSet.gone', { count: gone })] : []),
  ];
  if (shares.length === 0) return null;
  return (
    <Section title={t('changeSet.byRole')}>
      <ul className={styles.shares}>
        {shares.map((share) => (
          <Share key={`${share.roleId} ${share.action}`} share={share} />
        ))}
      </ul>
      {dropped + failed + gone > 0 && (
        <div>
          <h3 className={styles.small}>{t('changeSet.notWritten')}</h3>
          <ul className={styles.list}>
            {unwritten.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}

function Share({ share }: { share: Details['shares'][number] }) {
  const { roleId, roleName, action, members, waiting, written } = share;
  const isGrant = action === 'grant';
  const rest = members - waiting - written;
  const progress = [
    ...(written > 0 ? [t('changeSet.written', { count: written })] : []),
    ...(waiting > 0 ? [t('changeSet.waiting', { count: waiting })] : []),
    ...(rest > 0 ? [t('changeSet.unwritten', { count: rest })] : []),
  ];
  return (
    <li>
      <State tone={isGrant ? 'good' : 'bad'}>{isGrant ? t('changeSet.gain') : t('changeSet.lose')}</State>
      <span>
        {t.rich(`changeSet.${action}`, {
          count: members,
          role: <strong key="role">{roleName ?? t('common.unnamedRoleInText', { id: roleId })}</strong>,
        })}
      </span>
      <span className={styles.done}>{progress.join(' · ')}</span>
    </li>
  );
}

const reasons = 'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}/reasons';

/** Why, for all members with the same reason at once: what is needed, and what they have. */
function Reasons(named: { communityId: string; changeSetId: string }) {
  const found = useOperation(reasons, named);
  if (found.data?.groups.length === 0) return null;
  return (
    <Section
      title={t('changeSet.why')}
      lead={found.data?.isWhole === false ? t('changeSet.whyOfFirst', { count: found.data.changes }) : undefined}
    >
      <Query read={found} loading={t('changeSet.loadingReasons')}>
        {({ groups, otherGroups }) => (
          <>
            <ul className={styles.reasons}>
              {groups.map((group) => (
                <Reason key={`${group.roleId} ${group.action} ${group.why}`} group={group} />
              ))}
            </ul>
            {otherGroups > 0 && <p className={styles.note}>{t('changeSet.moreReasons', { count: otherGroups })}</p>}
          </>
        )}
      </Query>
    </Section>
  );
}

function Reason({ group }: { group: Answer<typeof reasons>['groups'][number] }) {
  const { members, action, roleName, roleId, why, conditions } = group;
  const isOne = conditions.length === 1;
  return (
    <li>
      <span>
        {t.rich('changeSet.effectAndReason', {
          effect: (
            <strong key="effect">
              {t(`changeSet.${action}`, {
                count: members,
                role: roleName ?? t('common.unnamedRoleInText', { id: roleId }),
              })}
            </strong>
          ),
          why,
        })}
      </span>
      {conditions.map(({ need, found }) => (
        <span key={need} className={styles.done}>
          {[...(isOne || found.length === 0 ? [] : [`${need}:`]), ...found].join(' ')}
        </span>
      ))}
    </li>
  );
}
