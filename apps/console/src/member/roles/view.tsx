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
import { chainWords } from '../../wallets/chains.ts';
import { t } from '../messages/index.ts';
import { RoleInvite } from './invite.tsx';
import styles from './roles.module.css';

/** So many communities are looked at without being asked: each look reads wallets and the chat platform. */
const openAtFirst = 3;

/** The roles that a member has and could have, by community, and what is missing for each. */
export function View() {
  useLive('account');
  const communities = usePages('GET /latchkey/account/memberships', { limit: 20 });
  // Admins share this address with people who are not in their server yet.
  const [invitedTo] = useState(() => new URLSearchParams(location.search).get('server'));
  // The app in a subreddit names it: Reddit does not list its members.
  const [cameFrom] = useState(() => new URLSearchParams(location.search).get('community'));
  const arrival = useArrival(cameFrom);
  const isRead = !communities.isLoading && communities.error === null && !arrival.isRunning;
  const isNowhere = isRead && communities.items.length === 0 && invitedTo === null && arrival.error === null;
  return (
    <Page title={t('roles.title')} lead={t('roles.lead')}>
      {invitedTo !== null && <RoleInvite communityId={invitedTo} />}
      <Failure error={arrival.error} onRetry={arrival.start} />
      {(communities.isLoading || arrival.isRunning) && <Loading text={t('roles.loadingCommunities')} />}
      {communities.error !== null && communities.items.length === 0 && (
        <Failure error={communities.error} onRetry={communities.retry} />
      )}
      {isNowhere && (
        <EmptyState
          title={t('roles.noCommunity')}
          action={
            <Button component="a" href="/console/me" variant="default">
              {t('roles.toAccount')}
            </Button>
          }
        >
          {t('roles.noCommunityHow')}
        </EmptyState>
      )}
      {communities.items.map((community, place) => (
        <CommunityRoles key={community.communityId} community={community} isOpenAtFirst={place < openAtFirst} />
      ))}
      <More pages={communities} text={t('roles.more')} />
    </Page>
  );
}

/** Has the server ask the platform about a person who came from one of its communities. */
function useArrival(communityId: string | null) {
  const { run, isRunning, error } = useAction('POST /latchkey/account/communities/{communityId}/role-check', {
    changes: ['GET /latchkey/account/memberships'],
  });
  const [isAsked, setIsAsked] = useState(communityId === null);
  const start = () => {
    if (communityId !== null) run({ communityId });
  };
  useEffect(() => {
    if (isAsked || communityId === null) return;
    setIsAsked(true);
    run({ communityId });
  }, [isAsked, communityId, run]);
  return { start, isRunning: isRunning || !isAsked, error };
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
            {data === undefined ? platformName(platform) : countWords(platform, data)}
          </span>
        }
        actions={
          <>
            {link !== undefined && (
              <Button component="a" href={link} rel="noreferrer" size="compact-sm" variant="default">
                {t('roles.open', { platform: platformName(platform) })}
              </Button>
            )}
            {data?.wallets === 0 && data.roles.length > 0 && (
              <Button renderRoot={(props) => <Link to="/me" {...props} />} size="compact-sm">
                {t('roles.linkWallet')}
              </Button>
            )}
            {isOpen ? (
              <CheckNow check={check} name={name} isMain={data === undefined || data.wallets > 0} />
            ) : (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('roles.showIn', { community: name })}
                onClick={() => setIsOpen(true)}
              >
                {t('roles.show')}
              </Button>
            )}
          </>
        }
      />
      {isOpen && data === undefined && error === null && <Loading text={t('roles.loadingIn', { community: name })} />}
      {isOpen && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.roles.length === 0 && <EmptyState title={t('roles.noRules')}>{t('roles.noRulesWhy')}</EmptyState>}
      {data !== undefined && data.roles.length > 0 && <Progress communityId={communityId} />}
      {data !== undefined && data.roles.length > 0 && data.wallets > 0 && (
        <p className={styles.wallets}>
          {t('roles.wallets', { count: data.wallets })}{' '}
          <Anchor component={Link} to="/me">
            {t('roles.linkAnother')}
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

function countWords(platform: string, { roles, wallets, conditions, conditionsMet }: NonNullable<Mine>): string {
  return t('roles.held', {
    platform: platformName(platform),
    held: roles.filter(({ has }) => has).length,
    roles: roles.length,
    met: conditionsMet,
    conditions,
    wallets,
  });
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

function CheckNow({ check, name, isMain }: { check: RoleCheck; name: string; isMain: boolean }) {
  return (
    <div className={styles.check}>
      <Button
        size="compact-sm"
        variant={isMain ? 'filled' : 'default'}
        loading={check.isStarting}
        disabled={check.isRunning}
        aria-label={t('roles.checkNowIn', { community: name })}
        onClick={check.start}
      >
        {t('roles.checkNow')}
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
  if (isWaiting) return t('roles.checking');
  const parts = [
    waiting > 0 && t('roles.beingWritten', { count: waiting }),
    held > 0 && t('roles.waitingForAdmin', { count: held }),
    given > 0 && t('roles.given', { count: given }),
    taken > 0 && t('roles.removed', { count: taken }),
    failed > 0 && t('roles.refused', { count: failed }),
  ].filter((part) => part !== false);
  return parts.length === 0 ? t('roles.unchanged') : t('roles.checked', { results: t.list(parts) });
}

/** The one thing that a member can do about a condition. */
function LineAction({ line, check }: { line: Line; check: RoleCheck }) {
  const { state, account, amount } = line;
  const link = webLink(line.link);
  if (state === 'unknown')
    return (
      <Button size="compact-sm" variant="default" disabled={check.isRunning} onClick={check.start}>
        {t('roles.checkAgain')}
      </Button>
    );
  if (state === 'not-met' && link !== undefined)
    return (
      <Anchor href={link} target="_blank" rel="noopener noreferrer">
        {t('roles.openCollection')}
      </Anchor>
    );
  if (account === undefined && amount === undefined) return null;
  return (
    <Anchor component={Link} to="/me">
      {account === undefined
        ? t('roles.linkAnother')
        : account === 'twitter'
          ? t('roles.linkX')
          : t('roles.linkOn', { chain: chainWords(account).name })}
    </Anchor>
  );
}
