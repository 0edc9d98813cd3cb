import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { ConfirmDialog } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './change-set.module.css';
import { shortened, waitingOf } from './title.ts';
import { UndoDialog } from './undo-dialog.tsx';

const path = '/latchkey/communities/{communityId}/change-sets/{changeSetId}';
type Details = Answer<`GET ${typeof path}`>;

const changes = [
  'GET /latchkey/communities/{communityId}/change-sets',
  `GET ${path}`,
  'GET /latchkey/account/waiting',
] as const;
const withRules = [...changes, 'GET /latchkey/communities/{communityId}/rules'] as const;

const undoable: readonly Details['changeSet']['status'][] = ['approved', 'applying', 'done', 'failed'];

/** What can be decided about a change set in its state: each is confirmed, and says what will happen. */
export function Decide({ communityId, details }: { communityId: string; details: Details }) {
  const { changeSet, approvals } = details;
  const named = { communityId, changeSetId: changeSet.id };
  const { accountId } = useSession();
  const [requested, setAsked] = useState<keyof typeof choices>();
  const [isUndoing, setIsUndoing] = useState(false);
  const choices = useChoices(details);
  const ask = (which: keyof typeof choices) => {
    choices[which].action.reset();
    setAsked(which);
  };
  const { grants, removals } = waitingOf(details.shares);
  const isOpen = changeSet.status === 'held' || (changeSet.status === 'previewed' && grants + removals > 0);
  const isApprovedByMe = approvals.some(({ userId }) => userId === accountId);
  const canRestore = changeSet.status === 'held' && details.rules.some((rule) => rule.canRestore);
  const offered = [
    ...(isOpen || changeSet.status === 'failed' ? (['reject'] as const) : []),
    ...(canRestore ? (['rejectAndRestore'] as const) : []),
    ...(isOpen && grants > 0 && removals > 0 ? (['approveGrants'] as const) : []),
  ];
  const choice = requested && choices[requested];
  return (
    <>
      {offered.map((which) => (
        <Button key={which} variant="default" onClick={() => ask(which)}>
          {choices[which].label}
        </Button>
      ))}
      {isOpen && (
        <Button disabled={isApprovedByMe} onClick={() => ask('approve')}>
          {isApprovedByMe ? t('decide.approved') : choices.approve.label}
        </Button>
      )}
      {changeSet.status === 'failed' && <Button onClick={() => ask('retry')}>{choices.retry.label}</Button>}
      {undoable.includes(changeSet.status) && (
        <Button variant="default" onClick={() => setIsUndoing(true)}>
          {t('decide.undo')}
        </Button>
      )}
      {choice !== undefined && (
        <ConfirmDialog {...choice} onYes={() => choice.decide(named)} onClose={() => setAsked(undefined)}>
          {choice.text}
        </ConfirmDialog>
      )}
      {isUndoing && <UndoDialog {...named} changes={changes} onClose={() => setIsUndoing(false)} />}
    </>
  );
}

interface Named {
  communityId: string;
  changeSetId: string;
}

/** Each says what happens, and how to take it back. */
function useChoices(details: Details) {
  const { changeSet, shares, approvals, approvers } = details;
  const approve = useAction(`POST ${path}/approve`, { changes });
  const approveGrants = useAction(`POST ${path}/approve-grants`, { changes });
  const reject = useAction(`POST ${path}/reject`, { changes });
  const rejectAndRestore = useAction(`POST ${path}/reject-and-restore`, { changes: withRules });
  const retry = useAction(`POST ${path}/retry`, { changes });
  const waiting = waitingOf(shares);
  const { grants, removals } = waiting;
  // Only what is shown here is approved.
  const seen = { body: { changes: grants + removals } };
  const needsAnother = changeSet.status === 'held' && approvers > approvals.length + 1;
  const approveLabel = t('decide.approve', waiting);
  const grantsLabel = t('decide.approveGrants', { count: grants });
  return {
    approve: {
      action: approve,
      decide: (named: Named) => approve.runAsync({ ...named, ...seen }),
      label: approveLabel,
      title: t('decide.approveTitle'),
      yes: approveLabel,
      isDangerous: changeSet.revokes > 0,
      text: (
        <>
          <Text size="sm">{t('decide.approveNote')}</Text>
          {needsAnother && <Text size="sm">{t('decide.needsAnother')}</Text>}
        </>
      ),
    },
    approveGrants: {
      action: approveGrants,
      decide: (named: Named) => approveGrants.runAsync({ ...named, ...seen }),
      label: grantsLabel,
      title: t('decide.approveGrantsTitle'),
      yes: grantsLabel,
      isDangerous: false,
      text: (
        <>
          <ul className={styles.list}>
            <li>{t('decide.grantsGiven', { count: grants })}</li>
            <li>{t('decide.removalsRejected', { count: removals })}</li>
          </ul>
          <Text size="sm">{t('decide.takeBackGrants')}</Text>
          {needsAnother && <Text size="sm">{t('decide.grantsNeedAnother')}</Text>}
        </>
      ),
    },
    reject: {
      action: reject,
      decide: (named: Named) => reject.runAsync(named),
      label: t('decide.reject'),
      title: t('decide.rejectTitle'),
      yes: t('decide.reject'),
      isDangerous: false,
      text: <Text size="sm">{t('decide.rejectNote')}</Text>,
    },
    rejectAndRestore: {
      action: rejectAndRestore,
      decide: (named: Named) => rejectAndRestore.runAsync(named),
      label: t('decide.restore'),
      title: t('decide.restoreTitle'),
      yes: t('decide.restore'),
      isDangerous: false,
      text: <Restored details={details} />,
    },
    retry: {
      action: retry,
      decide: (named: Named) => retry.runAsync(named),
      label: t('decide.retry'),
      title: t('decide.retryTitle'),
      yes: t('decide.retry'),
      isDangerous: false,
      text: <Text size="sm">{t('decide.retryNote')}</Text>,
    },
  };
}

function Restored({ details: { rules, shares } }: { details: Details }) {
  const restorable = rules.filter(({ canRestore }) => canRestore);
  const count = restorable.length;
  const names = restorable.flatMap(({ ruleId, ruleName }) => (ruleName === undefined ? [] : { ruleId, ruleName }));
  const isEdited = restorable.some(({ laterRuleChangeId }) => laterRuleChangeId !== undefined);
  return (
    <>
      <ul className={`${styles.list} ${styles.wraps}`}>
        <li>{t('decide.rejected', waitingOf(shares))}</li>
        <li>
          {names.length === 0
            ? t('decide.rulesRestored', { count })
            : t.rich('decide.namedRulesRestored', {
                count,
                names: names.slice(0, 3).map(({ ruleId, ruleName }, index) => (
                  <span key={ruleId}>
                    {index > 0 && ', '}
                    <bdi>{shortened(ruleName)}</bdi>
                  </span>
                )),
              })}
        </li>
        <li>{t('decide.thenChecked')}</li>
        {isEdited && <li>{t('decide.laterEdits', { count })}</li>}
      </ul>
      <Text size="sm">{t('decide.takeBackRestore')}</Text>
    </>
  );
}
