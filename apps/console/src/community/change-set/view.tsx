import { Alert, Progress } from '@mantine/core';
import { type Answer, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { adminName, causeInWords, decisionInWords, statusOf } from '../../shared/change-set-words.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Page, Query, Section, State, Time } from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
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
  const changes = usePages(route, { communityId, changeSetId, limit: 100 });
  useLive({ communityId });
  const details = found.data;
  const only = details?.rules.length === 1 ? details.rules[0] : undefined;
  const edit = useRuleEdit(communityId, only?.ruleId, details?.changeSet.ruleChangeIds ?? []);
  return (
    <Page
      title={details === undefined ? 'Role changes' : titleOf(details, edit)}
      crumbs={[{ title: 'Role changes', to: `/communities/${encodeURIComponent(communityId)}/role-changes` }]}
      actions={details !== undefined && <Decide communityId={communityId} details={details} />}
    >
      <Query read={found} what="the changes">
        {(data) => (
          <>
            <Facts details={data} />
            <Notices details={data} />
            {data.rules.length > 0 && (
              <Section title={data.rules.length === 1 ? 'Rule change' : 'Rule changes'}>
                {data.rules.slice(0, mostDiffs).map((rule) => (
                  <RuleDiff
                    key={rule.ruleId}
                    communityId={communityId}
                    rule={rule}
                    ruleChangeIds={data.changeSet.ruleChangeIds}
                  />
                ))}
                {data.changeSet.ruleChangeIds.length > mostDiffs && data.rules.length > mostDiffs && (
                  <p className={styles.note}>More rules changed than are shown here.</p>
                )}
              </Section>
            )}
            <Totals details={data} />
            <Reasons communityId={communityId} changeSetId={changeSetId} />
            <Members communityId={communityId} changeSetId={changeSetId} pages={changes} />
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
        After {causeInWords(changeSet)}, <Time at={changeSet.createdTime} />
      </span>
      {changeSet.status === 'held' && approvers > 1 && (
        <span>
          {names.length === 0
            ? `Needs ${approvers} approvals`
            : `${names.length} of ${approvers} approved by ${names.join(' and ')}`}
        </span>
      )}
      {decision !== undefined && (
        <span>
          {decision}
          {changeSet.decidedTime !== undefined && (
            <>
              , <Time at={changeSet.decidedTime} />
            </>
          )}
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
          title={status === 'held' ? 'Why this needs approval' : 'Note'}
        >
          {note}
        </Alert>
      )}
      {unknowns > 0 && (
        <Alert color="yellow" title="Some members could not be checked">
          {unknowns.toLocaleString()} {unknowns === 1 ? 'member keeps' : 'members keep'} their roles, because a chain or
          service did not answer. Latchkey checks them again automatically.
        </Alert>
      )}
    </>
  );
}

function Applying({ changeSet: { grants, revokes, waiting } }: Pick<Details, 'changeSet'>) {
  const all = grants + revokes;
  const done = Math.max(0, all - waiting);
  const words = `${done.toLocaleString()} of ${counted(all, 'change')} applied`;
  return (
    <div className={styles.progress}>
      <Progress value={all === 0 ? 0 : (100 * done) / all} aria-label={words} />
      <p role="status">{words}. This page updates automatically.</p>
    </div>
  );
}

const dropReasons: Readonly<Record<Details['changeSet']['dropReasons'][number]['reason'], string>> = {
  superseded: 'a later change set decided otherwise',
  'already-done': 'the platform already showed the change',
  'not-needed': 'a later check no longer required it',
  'rule-changed': 'the rule changed first',
  'role-without-rule': 'no rule names the role any more',
  cancelled: 'cancelled by an admin',
  'removal-rejected': 'removals that an admin rejected when approving the grants',
};

/** What it does to each role: planned, and what became of it. */
function Totals({ details: { changeSet, shares } }: { details: Details }) {
  const { dropped, failed, gone } = changeSet;
  const unwritten = [
    ...changeSet.dropReasons.map(({ reason, changes }) => `${counted(changes, 'change')}: ${dropReasons[reason]}`),
    ...(failed > 0 ? [`${counted(failed, 'change')}: refused by the platform`] : []),
    ...(gone > 0 ? [`${counted(gone, 'change')}: the member left`] : []),
  ];
  if (shares.length === 0) return null;
  return (
    <Section title="By role">
      <ul className={styles.shares}>
        {shares.map((share) => (
          <Share key={`${share.roleId} ${share.action}`} share={share} />
        ))}
      </ul>
      {dropped + failed + gone > 0 && (
        <div>
          <h3 className={styles.small}>Not written</h3>
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
    ...(written > 0 ? [`${written.toLocaleString()} written`] : []),
    ...(waiting > 0 ? [`${waiting.toLocaleString()} waiting`] : []),
    ...(rest > 0 ? [`${rest.toLocaleString()} not written`] : []),
  ];
  return (
    <li>
      <State tone={isGrant ? 'good' : 'bad'}>{isGrant ? 'Gain' : 'Lose'}</State>
      <span>
        {counted(members, 'member')} {verbOf(action, members)} <strong>{roleName ?? `role ${roleId}`}</strong>
      </span>
      <span className={styles.done}>{progress.join(' · ')}</span>
    </li>
  );
}

function verbOf(action: 'grant' | 'revoke', members: number): string {
  return `${action === 'grant' ? 'gain' : 'lose'}${members === 1 ? 's' : ''}`;
}

const reasons = 'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}/reasons';

/** Why, for all members with the same reason at once: what is needed, and what they have. */
function Reasons(named: { communityId: string; changeSetId: string }) {
  const found = useOperation(reasons, named);
  if (found.data?.groups.length === 0) return null;
  return (
    <Section
      title="Why"
      lead={found.data?.isWhole === false ? `Of the first ${counted(found.data.changes, 'change')}.` : undefined}
    >
      <Query read={found} what="the reasons">
        {({ groups, otherGroups }) => (
          <>
            <ul className={styles.reasons}>
              {groups.map((group) => (
                <Reason key={`${group.roleId} ${group.action} ${group.why}`} group={group} />
              ))}
            </ul>
            {otherGroups > 0 && (
              <p className={styles.note}>{counted(otherGroups, 'more reason')} in the list of members.</p>
            )}
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
        <strong>
          {counted(members, 'member')} {verbOf(action, members)} {roleName ?? `role ${roleId}`}
        </strong>
        : {why}
      </span>
      {conditions.map(({ need, found }) => (
        <span key={need} className={styles.done}>
          {[...(isOne || found.length === 0 ? [] : [`${need}:`]), ...found].join(' ')}
        </span>
      ))}
    </li>
  );
}
