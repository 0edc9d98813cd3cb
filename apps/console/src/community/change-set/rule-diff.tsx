import { Link } from '@tanstack/react-router';
import { type Answer, useOperation } from '../../shared/api/index.ts';
import { adminName } from '../../shared/change-set-words.ts';
import { Failure, Loading, Time } from '../../shared/ui/index.ts';
import styles from './change-set.module.css';
import { diffSentences, type RuleEdit, ruleEditOf, shortened } from './title.ts';

const history = 'GET /latchkey/communities/{communityId}/rules/{ruleId}/history';
const read = (communityId: string, ruleId: string) => ({ communityId, ruleId, limit: 100 });

/** The edit of a rule that led to a change set; undefined until it is read, or if there is none. */
export function useRuleEdit(
  communityId: string,
  ruleId: string | undefined,
  ruleChangeIds: readonly string[],
): RuleEdit | undefined {
  const found = useOperation(history, read(communityId, ruleId ?? ''), { enabled: ruleId !== undefined });
  return ruleId === undefined ? undefined : ruleEditOf(found.data?.items ?? [], ruleChangeIds);
}

type Rule = Answer<'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}'>['rules'][number];

const actions = { created: 'created', changed: 'changed', removed: 'deleted' } as const;

/** A rule before and after the edits that led to a change set, and who made them. */
export function RuleDiff(props: { communityId: string; rule: Rule; ruleChangeIds: readonly string[] }) {
  const { communityId, rule, ruleChangeIds } = props;
  const { ruleId, ruleName = 'Rule without a name' } = rule;
  const found = useOperation(history, read(communityId, ruleId));
  const edit = ruleEditOf(found.data?.items ?? [], ruleChangeIds);
  const name =
    edit?.after === undefined ? (
      <strong title={ruleName}>{shortened(ruleName)}</strong>
    ) : (
      <Link to="/communities/$communityId/rules/$ruleId" params={{ communityId, ruleId }} title={ruleName}>
        {shortened(ruleName)}
      </Link>
    );
  return (
    <div className={styles.rule}>
      <p className={styles.ruleHead}>
        {name}
        {edit !== undefined && (
          <span className={styles.done}>
            {actions[edit.action]} by {adminName(edit.changedBy, edit.changedByName)}, <Time at={edit.changedTime} />
          </span>
        )}
      </p>
      {found.isPending && <Loading what="the rule" lines={2} />}
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {edit !== undefined && <Diff edit={edit} />}
      {found.isSuccess && edit === undefined && (
        <p className={styles.note}>This change is older than the history shown here.</p>
      )}
    </div>
  );
}

function Diff({ edit: { before, after } }: { edit: RuleEdit }) {
  const { start, removed, added, end } = diffSentences(before?.sentence ?? '', after?.sentence ?? '');
  const isSame = before !== undefined && after !== undefined && removed === '' && added === '';
  if (isSame) return <p className={styles.note}>The conditions are the same; its settings or its order changed.</p>;
  return (
    <div className={styles.diff}>
      {before !== undefined && (
        <p className={styles.before}>
          <span className={styles.mark}>Before</span>
          {start} <del>{removed}</del> {end}
        </p>
      )}
      {after !== undefined && (
        <p className={styles.after}>
          <span className={styles.mark}>{before === undefined ? 'New' : 'After'}</span>
          {start} <ins>{added}</ins> {end}
        </p>
      )}
    </div>
  );
}
