import { Button, SegmentedControl, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { chainName } from '../../parts/chain-name.ts';
import { RoleStepList } from '../../parts/roles/role-steps.tsx';
import { type Answer, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { IconRefresh, IconTicket, IconWallet } from '../../shared/icons.tsx';
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
import { ReasonTree, Why } from '../../shared/why.tsx';
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
      crumbs={[{ title: 'Members', to: `/communities/${encodeURIComponent(communityId)}/members` }]}
      actions={
        data !== undefined && data.leftTime === undefined && !data.isBot && <CheckNow {...{ communityId, userId }} />
      }
    >
      <Query read={member} what="the member">
        {(data) => (
          <>
            <div className={styles.states}>
              {data.leftTime !== undefined && (
                <State tone="warn">
                  Left <Time at={data.leftTime} isRelative />
                </State>
              )}
              {data.isBot && <State>Bot, never checked</State>}
              {data.isProtected && <State tone="warn">Latchkey cannot change this member’s roles</State>}
              {data.roles.map(({ roleId, roleName }) => (
                <State key={roleId}>{roleName ?? `Role ${roleId}`}</State>
              ))}
              <CopyText text={data.platformUserId} what="the id" />
            </div>
            {!data.isBot && data.leftTime === undefined && (
              <Progress communityId={communityId} userId={userId} name={data.userName ?? 'This member'} />
            )}
            <Roles communityId={communityId} userId={userId} isThere={data.leftTime === undefined && !data.isBot} />
            <Section title="Wallets and guest passes">
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
        Check now
      </Button>
      <span role="status">{wasStarted && data !== undefined && formatProgress(data.waiting, data.postponed)}</span>
      <Failure error={check.error} />
    </div>
  );
}

function formatProgress(waiting: number, postponed: number): string {
  if (waiting > 0) return 'Checking …';
  if (postponed > 0) return 'Something could not be read. Latchkey tries again by itself.';
  return 'Checked. Changes appear under “What happened”.';
}

const steps = 'GET /latchkey/communities/{communityId}/members/{userId}/role-steps';

/** The same steps that the member sees, with what an admin can do about the one that waits. */
function Progress({ communityId, userId, name }: { communityId: string; userId: string; name: string }) {
  const progress = useOperation(steps, { communityId, userId });
  return (
    <Section title="Progress" lead={`From ${name}’s wallets to the chat: the last step that was made, and what waits.`}>
      <Query read={progress} what="the progress" lines={3}>
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
                See the change set
              </Link>
            )}
          />
        )}
      </Query>
    </Section>
  );
}

type Member = Answer<'GET /latchkey/communities/{communityId}/members/{userId}'>;

const families: Readonly<Record<string, string>> = {
  evm: 'Ethereum and EVM chains',
  xrpl: 'XRPL',
  ton: 'TON',
  near: 'NEAR',
};

/** What is linked and lent. Admins see that there is a wallet, not which. */
function Facts({ member }: { member: Member }) {
  const { wallets, guestPasses, checkedTime, lastActiveTime } = member;
  return (
    <ul className={styles.facts}>
      {wallets.length === 0 && <li>No linked wallet counts in this community.</li>}
      {wallets.map(({ namespace, connectedTime, address }) => (
        <li key={`${namespace} ${connectedTime} ${address ?? ''}`}>
          <IconWallet size={18} />
          {families[namespace] ?? namespace.charAt(0).toUpperCase() + namespace.slice(1)} wallet
          {address !== undefined && <CopyText text={address} what="the address" />}
          <span className={styles.time}>
            linked <Time at={connectedTime} isRelative />
          </span>
        </li>
      ))}
      {guestPasses.map(({ name, endsTime }) => (
        <li key={`${name} ${endsTime}`}>
          <IconTicket size={18} />
          Guest pass “{name}”
          <span className={styles.time}>
            until <Time at={endsTime} />
          </span>
        </li>
      ))}
      <li className={styles.time}>
        {checkedTime === undefined ? (
          'Never checked'
        ) : (
          <>
            Last checked <Time at={checkedTime} isRelative />
          </>
        )}
        {lastActiveTime !== undefined && (
          <>
            {' '}
            · last active <Time at={lastActiveTime} isRelative />
          </>
        )}
      </li>
    </ul>
  );
}

type Event = ItemOf<'GET /latchkey/communities/{communityId}/members/{userId}/timeline'>;

const tones: Readonly<Record<Event['kind'], [string, Tone]>> = {
  'role-given': ['Given', 'good'],
  'role-taken': ['Taken', 'bad'],
  'wallet-linked': ['Wallet', 'plain'],
  'guest-pass': ['Guest pass', 'plain'],
  'guest-pass-ended': ['Guest pass', 'plain'],
  action: ['Action', 'plain'],
};

/** What happened to the member, newest first. */
function Timeline({ communityId, userId }: { communityId: string; userId: string }) {
  const events = usePages('GET /latchkey/communities/{communityId}/members/{userId}/timeline', { communityId, userId });
  return (
    <Section title="What happened" lead="Roles that Latchkey gave and took, wallets and guest passes, newest first.">
      <PagedList
        pages={events}
        what="events"
        keyOf={({ id }) => id}
        empty={<EmptyState title="Nothing yet">Role changes appear here as Latchkey makes them.</EmptyState>}
      >
        {(event) => <OneEvent communityId={communityId} event={event} />}
      </PagedList>
    </Section>
  );
}

function OneEvent({ communityId, event }: { communityId: string; event: Event }) {
  const [word, tone] = tones[event.kind];
  return (
    <div className={styles.event}>
      <p>
        <State tone={tone}>{word}</State> {event.text}
        {event.by !== undefined && ` · decided by ${event.by}`}{' '}
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
          See all changes of that time
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
      title="Roles"
      lead={
        isPast
          ? 'What Latchkey had given and taken by then, and why.'
          : 'What the rules say right now. Nothing is changed by looking.'
      }
      actions={
        isThere && (
          <SegmentedControl
            aria-label="When"
            data={[
              { value: 'now', label: 'Now' },
              { value: 'then', label: 'As of …' },
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
        label="As of"
        value={toLocal(at)}
        max={toLocal(new Date().toISOString())}
        onChange={(event) => {
          const picked = new Date(event.currentTarget.value);
          if (!Number.isNaN(picked.getTime())) onChange(picked.toISOString());
        }}
      />
      <Button variant="default" onClick={() => onChange(yesterday())}>
        Yesterday
      </Button>
      <Button variant="default" onClick={() => onChange(new Date(Date.now() - 7 * dayMs).toISOString())}>
        A week ago
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
    <Query read={then} what="the records">
      {({ roles }) =>
        roles.length === 0 ? (
          <EmptyState title="Latchkey had changed nothing by then">
            Roles that were given by hand on the platform are not in these records.
          </EmptyState>
        ) : (
          <ul className={styles.roles} aria-busy={then.isPlaceholderData}>
            {roles.map(({ roleId, roleName, had, entry }) => (
              <li key={roleId}>
                <h3>
                  {roleName ?? `Role ${roleId}`}{' '}
                  <State tone={had ? 'good' : 'plain'}>{had ? 'Had it' : 'Did not have it'}</State>
                </h3>
                <p className={styles.note}>
                  {had ? 'Given' : 'Taken'} <Time at={entry.time} />
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
    <Query read={roles} what="what the wallets hold">
      {({ roles: all }) =>
        all.length === 0 ? (
          <EmptyState title="No rule gives a role yet">Create a rule to give roles by what wallets hold.</EmptyState>
        ) : (
          <ul className={styles.roles}>
            {all.map(({ roleId, roleName, has, qualifies, isSuppressed, lines, blocks }) => {
              const [word, tone] = standing(has, qualifies);
              return (
                <li key={roleId}>
                  <h3>
                    {roleName ?? `Role ${roleId}`} <State tone={tone}>{word}</State>
                    {isSuppressed && <State tone="warn">Left alone after an undo</State>}
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

function standing(has: boolean, qualifies: boolean | undefined): [string, Tone] {
  if (qualifies === undefined) return [has ? 'Has it; could not be checked' : 'Could not be checked', 'warn'];
  if (has) return qualifies ? ['Has it', 'good'] : ['Has it, but no longer qualifies', 'bad'];
  return qualifies ? ['Qualifies; comes with the next check', 'good'] : ['Does not qualify', 'plain'];
}

/** The blocks that holdings were read at, so that anybody can check them. */
function Blocks({ blocks }: { blocks: Readonly<Record<string, unknown>> }) {
  const read = Object.entries(blocks);
  if (read.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      Read at {read.map(([chain, block]) => `block ${String(block)} of ${chainName(chain)}`).join(', ')}
    </Text>
  );
}
