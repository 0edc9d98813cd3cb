import { Button, SegmentedControl, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { chainName } from '../../parts/chain-name.ts';
import { RoleStepList } from '../../parts/roles/role-steps.tsx';
import { type Answer, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { IconRefresh, IconTicket, IconWallet } from '../../shared/icons.ts';
import { ReasonTree, Why } from '../../shared/parts/why.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import {
  CopyText,
  EmptyState,
  Failure,
  Page,
  PagedList,
  Query,
  Section,
  State,
  Time,
  type Tone,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './member.module.css';

export function View() {
  const { communityId, userId } = useScreenParams('communityId', 'userId');
  const member = useOperation('GET /latchkey/communities/{communityId}/members/{userId}', { communityId, userId });
  useLive({ communityId });
  const { data } = member;
  const name = data?.userName ?? userId;
  return (
    <Page
      title={name.length > longestTitle ? `${name.slice(0, longestTitle)}…` : name}
      crumbs={[{ title: t('members.title'), to: `/communities/${encodeURIComponent(communityId)}/members` }]}
      actions={
        data !== undefined && data.leftTime === undefined && !data.isBot && <CheckNow {...{ communityId, userId }} />
      }
    >
      <Query read={member} loading={t('member.loading')}>
        {(data) => (
          <>
            <div className={styles.states}>
              {data.leftTime !== undefined && (
                <State tone="warn">
                  {t.rich('member.left', { time: <Time key="time" at={data.leftTime} isRelative /> })}
                </State>
              )}
              {data.isBot && <State>{t('member.bot')}</State>}
              {data.isProtected && <State tone="warn">{t('member.protected')}</State>}
              {data.roles.map(({ roleId, roleName }) => (
                <State key={roleId}>{roleName ?? t('common.unnamedRole', { id: roleId })}</State>
              ))}
              <CopyText text={data.platformUserId} what={t('member.id')} shown={t('member.idShown')} />
            </div>
            {!data.isBot && data.leftTime === undefined && (
              <Progress communityId={communityId} userId={userId} name={data.userName ?? t('member.thisMember')} />
            )}
            <Roles communityId={communityId} userId={userId} isThere={data.leftTime === undefined && !data.isBot} />
            <Section title={t('member.belongings')}>
              <Facts member={data} />
            </Section>
            <Timeline communityId={communityId} userId={userId} />
          </>
        )}
      </Query>
    </Page>
  );
}

const longestTitle = 80;

const checks = 'GET /latchkey/communities/{communityId}/role-checks';

/** Has this member checked by a worker, and says when that is done. */
function CheckNow({ communityId, userId }: { communityId: string; userId: string }) {
  const check = useAction('POST /latchkey/communities/{communityId}/role-checks', { changes: [checks, steps] });
  const wasStarted = check.answer !== undefined;
  const { data } = useOperation(checks, { communityId, userId }, { enabled: wasStarted });
  return (
    <div className={styles.check}>
      <Button
        leftSection={<IconRefresh size={16} />}
        loading={check.isRunning}
        onClick={() => check.run({ communityId, body: { userIds: [userId] } })}
      >
        {t('member.checkNow')}
      </Button>
      <span role="status">{wasStarted && data !== undefined && formatProgress(data.waiting, data.postponed)}</span>
      <Failure error={check.error} />
    </div>
  );
}

function formatProgress(waiting: number, postponed: number): string {
  if (waiting > 0) return t('member.checking');
  if (postponed > 0) return t('member.postponed');
  return t('member.checkDone');
}

const steps = 'GET /latchkey/communities/{communityId}/members/{userId}/role-steps';

/** The same steps that the member sees, with what an admin can do about the one that waits. */
function Progress({ communityId, userId, name }: { communityId: string; userId: string; name: string }) {
  const progress = useOperation(steps, { communityId, userId });
  return (
    <Section title={t('member.progress')} lead={t('member.progressLead', { name })}>
      <Query read={progress} loading={t('member.loadingProgress')} lines={3}>
        {(data) => (
          <RoleStepList
            steps={data}
            name={name}
            linkTo={(changeSetId) => (
              <Link
                className={styles.time}
                to="/communities/$communityId/role-changes/$changeSetId"
                params={{ communityId, changeSetId }}
              >
                {t('member.seeChangeSet')}
              </Link>
            )}
          />
        )}
      </Query>
    </Section>
  );
}

type Member = Answer<'GET /latchkey/communities/{communityId}/members/{userId}'>;

const acronyms: ReadonlySet<string> = new Set(['xrpl', 'ton', 'near']);

function walletTitle(namespace: string): string {
  if (namespace === 'evm') return t('member.evmWallet');
  const chain = acronyms.has(namespace)
    ? namespace.toUpperCase()
    : namespace.charAt(0).toUpperCase() + namespace.slice(1);
  return t('member.wallet', { chain });
}

/** What is linked and lent. Admins see that there is a wallet, not which. */
function Facts({ member }: { member: Member }) {
  const { wallets, guestPasses, checkedTime, lastActiveTime } = member;
  return (
    <ul className={styles.facts}>
      {wallets.length === 0 && <li>{t('member.noWallet')}</li>}
      {wallets.map(({ namespace, connectedTime, address }) => (
        <li key={`${namespace} ${connectedTime} ${address ?? ''}`}>
          <IconWallet size={18} />
          {walletTitle(namespace)}
          {address !== undefined && <CopyText text={address} what={t('member.address')} />}
          <span className={styles.time}>
            {t.rich('member.linked', { time: <Time key="time" at={connectedTime} isRelative /> })}
          </span>
        </li>
      ))}
      {guestPasses.map(({ name, endsTime }) => (
        <li key={`${name} ${endsTime}`}>
          <IconTicket size={18} />
          {t('member.pass', { name })}
          <span className={styles.time}>{t.rich('member.until', { time: <Time key="time" at={endsTime} /> })}</span>
        </li>
      ))}
      <li className={styles.time}>
        {checkedTime === undefined
          ? t('common.neverChecked')
          : t.rich('member.lastChecked', { time: <Time key="time" at={checkedTime} isRelative /> })}
        {lastActiveTime !== undefined && (
          <> · {t.rich('member.lastActive', { time: <Time key="time" at={lastActiveTime} isRelative /> })}</>
        )}
      </li>
    </ul>
  );
}

type Event = ItemOf<'GET /latchkey/communities/{communityId}/members/{userId}/timeline'>;

const tones: Readonly<Record<Event['kind'], Tone>> = {
  'role-given': 'good',
  'role-taken': 'bad',
  'wallet-linked': 'plain',
  'guest-pass': 'plain',
  'guest-pass-ended': 'plain',
  action: 'plain',
};

/** What happened to the member, newest first. */
function Timeline({ communityId, userId }: { communityId: string; userId: string }) {
  const events = usePages('GET /latchkey/communities/{communityId}/members/{userId}/timeline', { communityId, userId });
  return (
    <Section title={t('member.history')} lead={t('member.historyLead')}>
      <PagedList
        pages={events}
        loading={t('member.loadingHistory')}
        more={t('member.moreHistory')}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('member.historyEmptyTitle')}>{t('member.historyEmpty')}</EmptyState>}
      >
        {(event) => <OneEvent communityId={communityId} event={event} />}
      </PagedList>
    </Section>
  );
}

function OneEvent({ communityId, event }: { communityId: string; event: Event }) {
  return (
    <div className={styles.event}>
      <p>
        <State tone={tones[event.kind]}>{t(`member.event.${event.kind}`)}</State> {event.text}
        {event.by !== undefined && ` · ${t('member.decidedBy', { name: event.by })}`}{' '}
        <span className={styles.time}>
          <Time at={event.time} />
        </span>
      </p>
      <Why
        words={event.words}
        lines={event.lines}
        blocks={Object.fromEntries((event.blocks ?? []).map(({ chain, block }) => [chain, block]))}
        about={event.text}
      />
      {event.changeSetId !== undefined && (
        <Link
          className={styles.time}
          to="/communities/$communityId/role-changes/$changeSetId"
          params={{ communityId, changeSetId: event.changeSetId }}
        >
          {t('member.seeAllChanges')}
        </Link>
      )}
    </div>
  );
}

interface Who {
  communityId: string;
  userId: string;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Why the member has a role or not: now, or at any moment of the past. */
function Roles({ communityId, userId, isThere }: Who & { isThere: boolean }) {
  const [at, setAt] = useState<string>();
  const isPast = at !== undefined || !isThere;
  return (
    <Section
      title={t('member.roles')}
      lead={isPast ? t('member.rolesThenLead') : t('member.rolesNowLead')}
      actions={
        isThere && (
          <SegmentedControl
            aria-label={t('member.when')}
            data={[
              { value: 'now', label: t('member.now') },
              { value: 'then', label: t('member.then') },
            ]}
            value={isPast ? 'then' : 'now'}
            onChange={(when) => setAt(when === 'now' ? undefined : yesterday())}
          />
        )
      }
    >
      {isPast && <Moment at={at ?? new Date().toISOString()} onChange={setAt} />}
      {isPast ? (
        <RolesThen communityId={communityId} userId={userId} at={at} />
      ) : (
        <RolesNow communityId={communityId} userId={userId} />
      )}
    </Section>
  );
}

function yesterday(): string {
  return new Date(Date.now() - dayMs).toISOString();
}

/** Picks a moment in the reader's own zone. */
function Moment({ at, onChange }: { at: string; onChange(at: string): void }) {
  return (
    <div className={styles.picker}>
      <TextInput
        type="datetime-local"
        label={t('member.asOf')}
        value={toLocal(at)}
        max={toLocal(new Date().toISOString())}
        onChange={(event) => {
          const picked = new Date(event.currentTarget.value);
          if (!Number.isNaN(picked.getTime())) onChange(picked.toISOString());
        }}
      />
      <Button variant="default" onClick={() => onChange(yesterday())}>
        {t('member.yesterday')}
      </Button>
      <Button variant="default" onClick={() => onChange(new Date(Date.now() - 7 * dayMs).toISOString())}>
        {t('member.weekAgo')}
      </Button>
    </div>
  );
}

/** As the input writes it: the reader's own time, without a zone. */
function toLocal(iso: string): string {
  const date = new Date(iso);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** What Latchkey had given and taken by a moment, by its records. */
function RolesThen({ communityId, userId, at }: { communityId: string; userId: string; at: string | undefined }) {
  const then = useOperation(
    'GET /latchkey/communities/{communityId}/members/{userId}/roles-at',
    { communityId, userId, ...(at !== undefined && { at }) },
    { keepsPrevious: true },
  );
  return (
    <Query read={then} loading={t('member.loadingThen')}>
      {({ roles }) =>
        roles.length === 0 ? (
          <EmptyState title={t('member.nothingThenTitle')}>{t('member.nothingThen')}</EmptyState>
        ) : (
          <ul className={styles.roles} aria-busy={then.isPlaceholderData}>
            {roles.map(({ roleId, roleName, had, entry }) => (
              <li key={roleId}>
                <h3>
                  {roleName ?? t('common.unnamedRole', { id: roleId })}{' '}
                  <State tone={had ? 'good' : 'plain'}>{had ? t('member.had') : t('member.hadNot')}</State>
                </h3>
                <p className={styles.note}>
                  {t.rich(had ? 'member.given' : 'member.taken', { time: <Time key="time" at={entry.time} /> })}
                </p>
                <ReasonTree lines={entry.lines} />
                <Blocks blocks={entry.blocks} />
              </li>
            ))}
          </ul>
        )
      }
    </Query>
  );
}

/** Every role that a rule gives, whether the member has it, and the conditions behind it. Wallets are read for it. */
function RolesNow({ communityId, userId }: { communityId: string; userId: string }) {
  const roles = useOperation('GET /latchkey/communities/{communityId}/members/{userId}/roles', { communityId, userId });
  return (
    <Query read={roles} loading={t('member.loadingNow')}>
      {({ roles: all }) =>
        all.length === 0 ? (
          <EmptyState title={t('common.noRuleTitle')}>{t('member.noRule')}</EmptyState>
        ) : (
          <ul className={styles.roles}>
            {all.map(({ roleId, roleName, has, qualifies, isSuppressed, lines, blocks }) => {
              const [standing, tone] = standingOf(has, qualifies);
              return (
                <li key={roleId}>
                  <h3>
                    {roleName ?? t('common.unnamedRole', { id: roleId })}{' '}
                    <State tone={tone}>{t(`member.state.${standing}`)}</State>
                    {isSuppressed && <State tone="warn">{t('member.leftAlone')}</State>}
                  </h3>
                  <ReasonTree lines={lines} />
                  <Blocks blocks={blocks} />
                </li>
              );
            })}
          </ul>
        )
      }
    </Query>
  );
}

type Standing = 'has' | 'hasUnknown' | 'unknown' | 'going' | 'coming' | 'missing';

function standingOf(has: boolean, qualifies: boolean | undefined): [Standing, Tone] {
  if (qualifies === undefined) return [has ? 'hasUnknown' : 'unknown', 'warn'];
  if (has) return qualifies ? ['has', 'good'] : ['going', 'bad'];
  return qualifies ? ['coming', 'good'] : ['missing', 'plain'];
}

/** The blocks that holdings were read at, so that anybody can check them. */
function Blocks({ blocks }: { blocks: Readonly<Record<string, unknown>> }) {
  const read = Object.entries(blocks);
  if (read.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {t('member.readAt', {
        blocks: t.list(
          read.map(([chain, block]) => t('member.block', { block: String(block), chain: chainName(chain) })),
        ),
      })}
    </Text>
  );
}
