import { Anchor, Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { RoleCard } from '../../parts/roles/role-card.tsx';
import { isMoving, RoleStepList, stepsKey } from '../../parts/roles/role-steps.tsx';
import roleStyles from '../../parts/roles/roles.module.css';
import type { Line } from '../../parts/roles/rule-tree.tsx';
import { type Answer, ask, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { PlatformMark } from '../../shared/platform-mark.tsx';
import { EmptyState, Failure, Loading, More, Page, Picture, Row } from '../../shared/ui/index.ts';
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
  const mine = useOperation(rolesOf, { communityId }, { enabled: isOpen });
  const { data, error, isFetching, refetch } = mine;
  const link = webLink(data?.link);
  const check = useRoleCheck(communityId);
  return (
    <section className={styles.community} aria-label={name} aria-busy={isFetching}>
      <Row
        picture={<Picture source={picture} name={name} />}
        title={<h2 className={styles.name}>{name}</h2>}
        note={
          <span className={styles.platform}>
            <PlatformMark platform={platform} size={18} />
            {data === undefined ? platformName(platform) : `${platformName(platform)} · ${countWords(data)}`}
          </span>
        }
        actions={
          <>
            {link !== undefined && (
              <Button component="a" href={link} rel="noreferrer" size="compact-sm" variant="default">
                Open {platformName(platform)}
              </Button>
            )}
            {isOpen ? (
              <CheckNow check={check} name={name} />
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
      {data?.roles.length === 0 && (
        <EmptyState title="This community has no rules for roles yet">
          Its admins have not decided yet what members need. There is nothing for you to do.
        </EmptyState>
      )}
      {data !== undefined && data.roles.length > 0 && <Progress communityId={communityId} />}
      {data !== undefined && data.roles.length > 0 && (
        <p className={styles.wallets}>
          {data.wallets === 0
            ? 'None of your wallets counts here yet. '
            : `${counted(data.wallets, 'wallet')} of yours counted here. `}
          <Anchor component={Link} to="/me">
            {data.wallets === 0 ? 'Link a wallet' : 'Link another wallet'}
          </Anchor>
        </p>
      )}
      {data !== undefined && data.roles.length > 0 && (
        <ul className={roleStyles.roles}>
          {data.roles.map((role) => (
            <li key={role.roleId}>
              <RoleCard role={role} platform={platform} action={(line) => <LineAction line={line} check={check} />} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const stepsOf = 'GET /latchkey/account/communities/{communityId}/role-steps';

/** What happens between a wallet and the chat, followed while something moves by itself. */
function Progress({ communityId }: { communityId: string }) {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: [stepsOf, { communityId }],
    queryFn: ({ signal }) => ask(stepsOf, { communityId }, signal),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined && isMoving(data) && dataUpdateCount < mostLooks ? pauseMs : false,
  });
  const reached = data && stepsKey(data);
  const [shown, setShown] = useState(reached);
  useEffect(() => {
    if (reached === shown) return;
    setShown(reached);
    if (shown !== undefined) void queries.invalidateQueries({ queryKey: [rolesOf, { communityId }] });
  }, [reached, shown, queries, communityId]);
  return data === undefined ? null : <RoleStepList steps={data} />;
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
/** Two minutes; after that the live line and the person's own checks bring what is new. */
const mostLooks = 40;

type CheckProgress = Answer<typeof progressOf>;

interface RoleCheck {
  start(): void;
  isRunning: boolean;
  isStarting: boolean;
  progress: CheckProgress | undefined;
  error: unknown;
}

/** Has the person's roles checked, and follows it. */
function useRoleCheck(communityId: string): RoleCheck {
  const queries = useQueryClient();
  const start = useAction('POST /latchkey/account/communities/{communityId}/role-check', { changes: [stepsOf] });
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
    if (!isOver) return;
    void queries.invalidateQueries({ queryKey: [rolesOf, { communityId }] });
    void queries.invalidateQueries({ queryKey: [stepsOf, { communityId }] });
  }, [isOver, queries, communityId]);
  return {
    start: () => start.run({ communityId }),
    isRunning,
    isStarting: start.isRunning,
    progress,
    error: start.error,
  };
}

function CheckNow({ check, name }: { check: RoleCheck; name: string }) {
  return (
    <div className={styles.check}>
      <Button
        size="compact-sm"
        loading={check.isStarting}
        disabled={check.isRunning}
        aria-label={`Check now: my roles in ${name}`}
        onClick={check.start}
      >
        Check now
      </Button>
      <span role="status" className={styles.progress}>
        {check.progress === undefined ? '' : progressWords(check.progress)}
      </span>
      <Failure error={check.error} />
    </div>
  );
}

function isInProgress({ isWaiting, waiting }: CheckProgress): boolean {
  return isWaiting || waiting > 0;
}

function progressWords({ isWaiting, waiting, held, given, taken, failed }: CheckProgress): string {
  if (isWaiting) return 'Checking your wallets …';
  const parts = [
    waiting > 0 && `${counted(waiting, 'role')} being written`,
    held > 0 && `${counted(held, 'role')} waiting for an admin’s approval`,
    given > 0 && `${counted(given, 'role')} given`,
    taken > 0 && `${counted(taken, 'role')} removed`,
    failed > 0 && `${counted(failed, 'role')} refused by the chat platform`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'Checked. Nothing changed.' : `${parts.join(', ')}.`;
}

/** The one thing that a member can do about a condition. */
function LineAction({ line, check }: { line: Line; check: RoleCheck }) {
  const { state, account, amount } = line;
  const link = webLink(line.link);
  if (state === 'unknown')
    return (
      <Button size="compact-sm" variant="default" disabled={check.isRunning} onClick={check.start}>
        Check again
      </Button>
    );
  if (state === 'not-met' && link !== undefined)
    return (
      <Anchor href={link} target="_blank" rel="noopener noreferrer">
        Open the collection
      </Anchor>
    );
  if (account === undefined && amount === undefined) return null;
  return (
    <Anchor component={Link} to="/me">
      {account === undefined
        ? 'Link another wallet'
        : account === 'twitter'
          ? 'Link X account'
          : `Link a wallet (${chainWords(account).name})`}
    </Anchor>
  );
}
