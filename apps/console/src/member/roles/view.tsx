import { Anchor, Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, ask, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { IconAlertCircle, IconCircleCheck, IconCircleX, IconUserQuestion } from '../../shared/icons.tsx';
import { EmptyState, Failure, Loading, More, Page, Picture, Row, State, type Tone } from '../../shared/ui/index.ts';
import { webLink } from '../../shared/web-link.ts';
import { counted } from '../../shared/words.ts';
import { chainWords } from '../../wallets/chains.ts';
import styles from './roles.module.css';

/** So many communities are looked at without being asked: each look reads wallets and the chat platform. */
const openAtFirst = 3;

/** The roles that a member has and could have, by community, and what is missing for each. */
export function View() {
  useLive('account');
  const communities = usePages('GET /latchkey/account/memberships', { limit: 20 });
  return (
    <Page title="My roles" lead="What you have, what you could have, and what is missing for it.">
      {communities.isLoading && <Loading what="your communities" />}
      {communities.error !== null && communities.items.length === 0 && (
        <Failure error={communities.error} onRetry={communities.retry} />
      )}
      {!communities.isLoading && communities.error === null && communities.items.length === 0 && (
        <EmptyState
          title="You are not in any community yet"
          action={
            <Button component="a" href="/console/me" variant="default">
              Go to my account
            </Button>
          }
        >
          Join a community that uses Latchkey, and open the link that its bot gives you. Signed in with another account?
          Roles belong to the chat account that joined.
        </EmptyState>
      )}
      {communities.items.map((community, place) => (
        <CommunityRoles key={community.communityId} community={community} isOpenAtFirst={place < openAtFirst} />
      ))}
      <More pages={communities} what="communities" />
    </Page>
  );
}

type Community = ItemOf<'GET /latchkey/account/memberships'>;

function CommunityRoles({ community, isOpenAtFirst }: { community: Community; isOpenAtFirst: boolean }) {
  const { communityId, name, picture, platform } = community;
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const mine = useOperation(
    'GET /latchkey/account/communities/{communityId}/roles',
    { communityId },
    { enabled: isOpen },
  );
  const { data, error, isFetching, refetch } = mine;
  const link = webLink(data?.link);
  return (
    <section className={styles.community} aria-label={name} aria-busy={isFetching}>
      <Row
        picture={<Picture source={picture} name={name} />}
        title={<h2 className={styles.name}>{name}</h2>}
        note={data === undefined ? platformName(platform) : `${platformName(platform)} · ${countWords(data)}`}
        actions={
          <>
            {link !== undefined && (
              <Button component="a" href={link} rel="noreferrer" size="compact-sm" variant="default">
                Open {platformName(platform)}
              </Button>
            )}
            {isOpen ? (
              <CheckNow communityId={communityId} name={name} />
            ) : (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Show roles in ${name}`}
                onClick={() => setIsOpen(true)}
              >
                Show roles
              </Button>
            )}
          </>
        }
      />
      {isOpen && data === undefined && error === null && <Loading what={`your roles in ${name}`} />}
      {isOpen && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.roles.length === 0 && <EmptyState title="This community has no rules for roles yet" />}
      <ul className={styles.roles}>
        {data?.roles.map((role) => (
          <li key={role.roleId}>
            <RoleCard role={role} onCheck={() => void refetch()} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function countWords({ roles, wallets, conditions, conditionsMet }: NonNullable<Mine>): string {
  const held = roles.filter(({ has }) => has).length;
  const linked = counted(wallets, 'linked wallet');
  return `${held} of ${roles.length} roles · ${conditionsMet} of ${conditions} conditions met · ${linked}`;
}

type Mine = ReturnType<typeof useOperation<'GET /latchkey/account/communities/{communityId}/roles'>>['data'];

const progressOf = 'GET /latchkey/account/communities/{communityId}/role-check';
const rolesOf = 'GET /latchkey/account/communities/{communityId}/roles';
const pauseMs = 3_000;

type Progress = Answer<typeof progressOf>;

/** Has the person's roles checked, and counts along. */
function CheckNow({ communityId, name }: { communityId: string; name: string }) {
  const queries = useQueryClient();
  const start = useAction('POST /latchkey/account/communities/{communityId}/role-check');
  const since = start.answer?.since;
  const { data: progress = start.answer } = useQuery({
    queryKey: [progressOf, { communityId, since }],
    queryFn: ({ signal }) => ask(progressOf, { communityId, ...(since !== undefined && { since }) }, signal),
    enabled: since !== undefined,
    refetchInterval: ({ state: { data } }) => (data === undefined || isInProgress(data) ? pauseMs : false),
  });
  const isRunning = start.isRunning || (progress !== undefined && isInProgress(progress));
  const isOver = since !== undefined && !isRunning;
  useEffect(() => {
    if (isOver) void queries.invalidateQueries({ queryKey: [rolesOf, { communityId }] });
  }, [isOver, queries, communityId]);
  return (
    <div className={styles.check}>
      <Button
        size="compact-sm"
        loading={start.isRunning}
        disabled={isRunning}
        aria-label={`Check now: my roles in ${name}`}
        onClick={() => start.run({ communityId })}
      >
        Check now
      </Button>
      <span role="status" className={styles.progress}>
        {progress === undefined ? '' : progressWords(progress)}
      </span>
      <Failure error={start.error} />
    </div>
  );
}

function isInProgress({ isWaiting, waiting }: Progress): boolean {
  return isWaiting || waiting > 0;
}

function progressWords({ isWaiting, waiting, held, given, taken, failed }: Progress): string {
  if (isWaiting) return 'Checking your wallets …';
  const parts = [
    waiting > 0 && `${counted(waiting, 'role')} on the way`,
    held > 0 && `${counted(held, 'role')} waiting for an admin’s approval`,
    given > 0 && `${counted(given, 'role')} given`,
    taken > 0 && `${counted(taken, 'role')} removed`,
    failed > 0 && `${counted(failed, 'role')} refused by the chat platform`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'Checked. Nothing changed.' : `${parts.join(', ')}.`;
}

type Role = Answer<'GET /latchkey/account/communities/{communityId}/roles'>['roles'][number];
type Way = Role['paths'][number];
type Condition = Way['conditions'][number];

const states: Readonly<Record<Role['state'], { tone: Tone; words: string }>> = {
  kept: { tone: 'good', words: 'You have it' },
  coming: { tone: 'good', words: 'You qualify: check now to get it' },
  going: { tone: 'warn', words: 'You no longer qualify' },
  missing: { tone: 'plain', words: 'Not yet' },
  unknown: { tone: 'warn', words: 'Could not be checked' },
};

/** One role: whether the person has it, and each condition with what it needs and what was found. */
function RoleCard({ role, onCheck }: { role: Role; onCheck(): void }) {
  const { tone, words } = states[role.state];
  const met = role.paths.some(({ state }) => state === 'met');
  return (
    <details className={styles.role} open={!role.has || role.state === 'going'}>
      <summary>
        <span className={styles.roleName}>{role.name}</span> <State tone={tone}>{words}</State>
        {role.isSuppressed && <State tone="warn">Paused by an admin</State>}
      </summary>
      {role.paths.length === 0 && role.words.map((sentence) => <p key={sentence}>{sentence}</p>)}
      {role.paths.map((path, place) => (
        <div key={path.name ?? path.need ?? place} className={styles.path}>
          {place > 0 && <p className={styles.or}>or</p>}
          {path.name !== undefined && <p className={styles.wayName}>{path.name}</p>}
          {path.conditions.length > 1 && path.need !== undefined && <p className={styles.need}>Needs {path.need}.</p>}
          <ul className={styles.conditions}>
            {path.conditions.map((condition) => (
              <ConditionLine key={condition.need} condition={condition} isDone={met} onCheck={onCheck} />
            ))}
          </ul>
        </div>
      ))}
    </details>
  );
}

interface LineProps {
  condition: Condition;
  /** Another way has given the role: there is nothing to do about this one. */
  isDone: boolean;
  onCheck(): void;
}

function ConditionLine({ condition: { state, need, found, account }, isDone, onCheck }: LineProps) {
  const { Icon, words } = marks[state];
  return (
    <li className={styles.condition} data-state={state}>
      <Icon size={20} aria-hidden="true" />
      <span className={styles.conditionText}>
        <span className={styles.mark}>{words}:</span> {need}
        {found !== undefined && <small>{found}</small>}
      </span>
      {!isDone && state === 'no-account' && (
        <Anchor component={Link} to="/me">
          {account === 'twitter' ? 'Link X account' : `Link a wallet (${chainWords(account ?? '').name})`}
        </Anchor>
      )}
      {state === 'unknown' && (
        <Button size="compact-sm" variant="default" onClick={onCheck}>
          Check again
        </Button>
      )}
    </li>
  );
}

const marks = {
  met: { Icon: IconCircleCheck, words: 'Met' },
  'not-met': { Icon: IconCircleX, words: 'Not met' },
  'no-account': { Icon: IconUserQuestion, words: 'Nothing linked yet' },
  unknown: { Icon: IconAlertCircle, words: 'Could not be checked' },
} as const;
