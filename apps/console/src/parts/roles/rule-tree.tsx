import type { CallResult } from '@latchkey/client';
import type { ReactNode } from 'react';
import { t } from '../../messages/index.ts';
import { type Branch, growTree } from '../grow-tree.ts';
import { icon } from '../line-icon.ts';
import { formatAmount, shareOf } from './amounts.ts';
import { Moment } from './moment.tsx';
import styles from './roles.module.css';

type Role = CallResult<'GET /latchkey/account/communities/{communityId}/roles'>['roles'][number];
export type Line = Role['paths'][number]['lines'][number];

/** What a member can do about a condition that is not met, as the page offers it. */
type ActionFor = (line: Line) => ReactNode;

const ring = 'M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17z';
const marks = {
  met: { Mark: icon(ring, 'M8.5 12.5l2.5 2.5l4.5-5.5'), id: 'condition.met' },
  'not-met': { Mark: icon(ring, 'M8.5 12h7'), id: 'condition.notMet' },
  'no-account': { Mark: icon(ring, 'M8.5 12h7'), id: 'condition.noAccount' },
  unknown: { Mark: icon(ring, 'M12 8v4.5', 'M12 16h.01'), id: 'condition.unknown' },
} as const;

/** What a role needs: its rules, any of which is enough, each as a tree of groups and conditions. */
export function RuleTree({ role, action }: { role: Role; action: ActionFor }) {
  const paths = role.paths
    .filter(({ lines }) => lines.length > 0)
    .map((path, place) => ({ ...path, key: String(place) }));
  if (paths.length === 0)
    return role.words.map((sentence) => (
      <p key={sentence} className={styles.words}>
        {sentence}
      </p>
    ));
  const isDone = paths.some(({ state }) => state === 'met');
  const shown = paths.map((path) => (
    <li key={path.key}>
      {path.name !== undefined && (
        <p className={styles.ruleName}>
          <bdi>{path.name}</bdi>
        </p>
      )}
      <Branches branches={growTree(path.lines)} action={isDone ? () => null : action} />
    </li>
  ));
  if (paths.length === 1) return <ul className={styles.tree}>{shown}</ul>;
  return (
    <div>
      <p className={styles.group} data-state={isDone ? 'met' : 'not-met'}>
        <strong>{t('rule.any')}</strong> <span>{t('rule.oneIsEnough')}</span>
      </p>
      <ul className={`${styles.tree} ${styles.parts}`}>{shown}</ul>
    </div>
  );
}

type Part = Branch<Line>;

function Branches({ branches, action }: { branches: readonly Part[]; action: ActionFor }) {
  return (
    <ul className={styles.tree}>
      {branches.map((branch) => (
        <li key={branch.key}>
          {branch.kind === 'condition' ? (
            <Condition line={branch} action={action} />
          ) : (
            <>
              <Group group={branch} />
              <div className={styles.parts}>
                <Branches branches={branch.parts} action={branch.state === 'met' ? () => null : action} />
              </div>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Group({ group: { kind, state, count = 1, parts } }: { group: Part }) {
  const words = kind === 'at-least' || kind === 'condition' ? t('rule.atLeast', { count }) : t(`rule.${kind}`);
  const met = parts.filter((part) => part.state === 'met').length;
  return (
    <p className={styles.group} data-state={state}>
      <strong>{words}</strong> <span>{describeGroup(kind, state, met, parts.length)}</span>
    </p>
  );
}

function describeGroup(kind: Part['kind'], state: Part['state'], met: number, all: number): string {
  if (state === 'met') return t('rule.met');
  if (state === 'unknown') return t('role.unknown');
  return kind === 'none' ? t('rule.notMet') : t('rule.metOf', { met, all });
}

function Condition({ line, action }: { line: Line; action: ActionFor }) {
  const { state, need = '', found, amount, problem, sinceTime } = line;
  const { Mark, id } = marks[state];
  const offered = state === 'met' ? null : action(line);
  return (
    <div className={styles.condition} data-state={state}>
      <Mark size={20} aria-hidden="true" />
      <div className={styles.text}>
        <p>
          <span className={styles.mark}>{t(id)}</span> <bdi>{need}</bdi>
        </p>
        {amount !== undefined && state !== 'unknown' && state !== 'no-account' && (
          <Bar amount={amount} isMet={state === 'met'} need={need} />
        )}
        {state === 'unknown' && (
          <p className={styles.found}>
            <bdi>{problem ?? t('condition.noResponse')}</bdi> {t('condition.rolesStay')}
            {sinceTime !== undefined && (
              <> {t.rich('condition.since', { time: <Moment key="time" at={sinceTime} /> })}</>
            )}
          </p>
        )}
        {found !== undefined && state !== 'unknown' && (amount?.have === undefined || state === 'no-account') && (
          <p className={styles.found}>{found}</p>
        )}
      </div>
      {offered !== null && <div className={styles.action}>{offered}</div>}
    </div>
  );
}

function Bar({ amount, isMet, need }: { amount: NonNullable<Line['amount']>; isMet: boolean; need: string }) {
  const { least, most, have, unit } = amount;
  if (have === undefined) return null;
  const amounts = {
    have: formatAmount(have),
    least: formatAmount(least),
    unit: <bdi key="unit">{unit.split(' on ')[0] ?? unit}</bdi>,
  };
  return (
    <div className={styles.amount}>
      <progress max={1} value={shareOf(amount, isMet)} aria-label={need} data-met={isMet} />
      <span>
        {most === undefined
          ? t.rich('amount.of', amounts)
          : t.rich('amount.ofRange', { ...amounts, most: formatAmount(most) })}
      </span>
    </div>
  );
}
