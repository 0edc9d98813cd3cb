import { Link } from '@tanstack/react-router';
import { type Answer, useOperation } from '../../shared/api/index.ts';
import { Failure, Loading, Time } from '../../shared/ui/index.ts';
import { adminName } from '../change-set-words.ts';
import { t } from '../messages/index.ts';
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

/** A rule before and after the edits that led to a change set, and who made them. */
export function RuleDiff(props: { communityId: string; rule: Rule; ruleChangeIds: readonly string[] }) {
  const { communityId, rule, ruleChangeIds } = props;
  const { ruleId, ruleName = t('ruleEdit.unnamed') } = rule;
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
            {t.rich(`ruleEdit.${edit.action}`, {
              name: adminName(edit.changedBy, edit.changedByName),
              time: <Time key="time" at={edit.changedTime} />,
            })}
          </span>
        )}
      </p>
      {found.isPending && <Loading text={t('ruleEdit.loading')} lines={2} />}
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {edit !== undefined && <Diff edit={edit} />}
      {found.isSuccess && edit === undefined && <p className={styles.note}>{t('ruleEdit.tooOld')}</p>}
    </div>
  );
}

function Diff({ edit: { before, after } }: { edit: RuleEdit }) {
  const { start, removed, added, end } = diffSentences(before?.sentence ?? '', after?.sentence ?? '');
  const isSame = before !== undefined && after !== undefined && removed === '' && added === '';
  if (isSame) return <p className={styles.note}>{t('ruleEdit.same')}</p>;
  return (
    <div className={styles.diff}>
      {before !== undefined && (
        <p className={styles.before}>
          <span className={styles.mark}>{t('ruleEdit.before')}</span>
          {start} <del>{removed}</del> {end}
        </p>
      )}
      {after !== undefined && (
        <p className={styles.after}>
          <span className={styles.mark}>{before === undefined ? t('ruleEdit.new') : t('ruleEdit.after')}</span>
          {start} <ins>{added}</ins> {end}
        </p>
      )}
    </div>
  );
}
