import { Alert, Anchor, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useLive, useOperation } from '../../shared/api/index.ts';
import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCirclePlus,
  IconCircleX,
  IconHelpCircle,
  IconPlugConnectedX,
  IconRefresh,
} from '../../shared/icons.ts';
import { roleOptions } from '../../shared/parts/member-field.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { Form, Page, Query, Section, State, Time, type Tone, useForm } from '../../shared/ui/index.ts';
import { useOnReturn } from '../../shared/use-on-return.ts';
import { webLink } from '../../shared/web-link.ts';
import { t } from '../messages/index.ts';
import { GateBypasses } from './gate-bypasses.tsx';
import { JoinButton, joinMessage } from './join-button.tsx';
import styles from './setup.module.css';

type Setup = Answer<'GET /latchkey/communities/{communityId}/setup'>;

export function View() {
  const { communityId } = useScreenParams('communityId');
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const setup = useOperation('GET /latchkey/communities/{communityId}/setup', { communityId });
  const join = useOperation(joinMessage, { communityId });
  useLive({ communityId });
  useOnReturn(() => {
    void setup.refetch();
    void join.refetch();
  });
  const next = nextStep(setup.data, join.data);
  return (
    <Page
      title={t('setup.title')}
      lead={t('setup.lead')}
      crumbs={[
        { title: health.data?.name ?? t('common.community'), to: `/communities/${encodeURIComponent(communityId)}` },
      ]}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={setup.isFetching}
          onClick={() => void setup.refetch()}
        >
          {t('common.checkAgain')}
        </Button>
      }
    >
      <Query read={setup} loading={t('setup.loading')} lines={5}>
        {(data) => <Findings setup={data} isJoinOffered={join.data?.isSupported === true} />}
      </Query>
      <JoinButton
        communityId={communityId}
        isNext={next === 'join'}
        hasAdminChannel={setup.data?.checks.some(({ id, state }) => id === adminChannel && state === 'ok') === true}
      />
      {setup.data?.checks.some(({ id }) => id === 'gate-bypasses') && (
        <GateBypasses communityId={communityId} platform={setup.data.platform} />
      )}
      <FirstRule communityId={communityId} isNext={next === 'rule'} />
    </Page>
  );
}

const adminChannel = 'channel.latchkey-config';

/** The step that has the page's only filled button: what is broken first, then the join button, then the rule. */
function nextStep(setup: Setup | undefined, join: { isSupported: boolean; isPosted: boolean } | undefined) {
  if (setup?.state === 'broken') return 'fix';
  return join?.isSupported === true && !join.isPosted ? 'join' : 'rule';
}

const tones: Readonly<Record<Setup['state'], Tone>> = {
  ready: 'good',
  incomplete: 'warn',
  broken: 'bad',
  unknown: 'plain',
};

function Findings({ setup, isJoinOffered }: { setup: Setup; isJoinOffered: boolean }) {
  const { state, checks, checkedTime, problem, platform } = setup;
  // The bot creates its channels below, so that the list does not ask for them too.
  const isBelow = ({ canBotCreate }: Check) => isJoinOffered && canBotCreate === true;
  const [passed, open] = [checks.filter(isPassed), checks.filter((check) => !isPassed(check) && !isBelow(check))];
  return (
    <Section
      title={t('setup.checklist')}
      lead={t.rich('setup.checked', { time: <Time key="time" at={checkedTime} isRelative /> })}
      actions={<State tone={tones[state]}>{t(`setup.state.${state}`)}</State>}
    >
      {state === 'unknown' && (
        <Alert
          color="gray"
          title={t('setup.unreachable', { platform: platformName(platform) })}
          icon={<IconPlugConnectedX />}
        >
          {problem} {t('setup.unreachableNote')}
        </Alert>
      )}
      <CheckList checks={open} main={open.find((check) => check.state === 'broken' && webLink(check.link))} />
      {passed.length > 0 && (
        <details className={styles.passed}>
          <summary>{t('setup.passed', { count: passed.length })}</summary>
          <CheckList checks={passed} />
        </details>
      )}
    </Section>
  );
}

function CheckList({ checks, main }: { checks: readonly Check[]; main?: Check | undefined }) {
  if (checks.length === 0) return null;
  return (
    <ul className={styles.checks}>
      {checks.map((check) => (
        <li key={check.id}>
          <CheckRow check={check} isNext={check === main} />
        </li>
      ))}
    </ul>
  );
}

type Check = Answer<'GET /latchkey/communities/{communityId}/setup'>['checks'][number];

const marks: Readonly<Record<Check['state'], Icon>> = {
  ok: IconCircleCheck,
  broken: IconCircleX,
  advised: IconAlertTriangle,
  optional: IconCirclePlus,
  unknown: IconHelpCircle,
};

function isPassed({ state }: Check): boolean {
  return state === 'ok';
}

function CheckRow({ check, isNext }: { check: Check; isNext: boolean }) {
  const Mark = marks[check.state];
  const link = webLink(check.link);
  return (
    <div className={styles.check} data-state={check.state}>
      <Mark size={20} className={styles.mark} aria-label={t(`setup.check.${check.state}`)} />
      <div className={styles.words}>
        <p className={styles.title}>{check.title}</p>
        <p className={styles.reason}>{check.reason}</p>
        <Positions check={check} />
        {check.remedy !== undefined && (
          <p className={styles.remedy}>
            {check.remedy}{' '}
            {link !== undefined && !isNext && (
              <Anchor href={link} target="_blank" rel="noopener noreferrer">
                {t('setup.open')}
              </Anchor>
            )}
          </p>
        )}
        {link !== undefined && isNext && (
          <Button component="a" href={link} target="_blank" rel="noopener noreferrer" size="sm" mt="xs">
            {t('setup.open')}
          </Button>
        )}
      </div>
    </div>
  );
}

function Positions({ check }: { check: Check }) {
  const { roleName = '', rolePosition, botRoleName = '', botRolePosition } = check;
  if (botRolePosition === undefined) return null;
  const order = [
    { position: botRolePosition, text: t('setup.botRoleAt', { name: botRoleName, position: botRolePosition }) },
    ...(rolePosition === undefined
      ? []
      : [{ position: rolePosition, text: t('setup.roleAt', { name: roleName, position: rolePosition }) }]),
  ].toSorted((a, b) => b.position - a.position);
  return <p className={styles.reason}>{t('setup.roleOrder', { roles: t.list(order.map(({ text }) => text)) })}</p>;
}

const roles = 'GET /latchkey/communities/{communityId}/chat-roles';

/** Picks the role that the first rule gives, or creates one, and goes on to the rule. */
function FirstRule({ communityId, isNext }: { communityId: string; isNext: boolean }) {
  const list = useOperation(roles, { communityId });
  const [roleId, setRoleId] = useState<string | null>(null);
  return (
    <Section title={t('firstRule.title')} lead={t('firstRule.lead')}>
      <Query read={list} loading={t('firstRule.loading')} lines={2}>
        {({ items, canCreate }) => {
          const chosen = items.find(({ id }) => id === roleId);
          return (
            <>
              <Select
                label={t('common.role')}
                placeholder={t('firstRule.chooseRole')}
                searchable
                nothingFoundMessage={t('firstRule.noRole')}
                data={roleOptions(items)}
                value={roleId}
                onChange={setRoleId}
                className={styles.field}
              />
              {items.every(({ canBeGiven }) => !canBeGiven) && (
                <Text size="sm" c="dimmed">
                  {t('firstRule.noneCanBeGiven')} {items[0]?.problem}
                </Text>
              )}
              {canCreate && <NewRole communityId={communityId} onCreated={setRoleId} />}
              <Group>
                <Button
                  variant={isNext ? 'filled' : 'default'}
                  disabled={chosen === undefined}
                  renderRoot={(props) =>
                    chosen === undefined ? (
                      <button type="button" {...props} />
                    ) : (
                      <Link
                        to="/communities/$communityId/rules/new"
                        params={{ communityId }}
                        search={{ role: chosen.id }}
                        {...props}
                      />
                    )
                  }
                >
                  {chosen === undefined
                    ? t('firstRule.write')
                    : t('firstRule.writeFor', { role: shorten(chosen.name) })}
                </Button>
              </Group>
            </>
          );
        }}
      </Query>
      <Text size="sm">
        {t.rich('firstRule.otherBot', {
          link: (
            <Link key="link" to="/communities/$communityId/rules/import" params={{ communityId }}>
              {t('firstRule.import')}
            </Link>
          ),
        })}
      </Text>
    </Section>
  );
}

function NewRole({ communityId, onCreated }: { communityId: string; onCreated(roleId: string): void }) {
  const create = useAction('POST /discord/guilds/{guildId}/roles', {
    done: t('firstRule.roleCreated'),
    changes: [roles],
    onDone: ({ id }) => {
      form.reset();
      if (id !== undefined) onCreated(id);
    },
  });
  const form = useForm({ name: '' }, create.error);
  const name = form.values.name.trim();
  return (
    <Form
      isInline
      isQuiet
      submit={t('firstRule.createRole')}
      canSubmit={name !== ''}
      action={create}
      onSubmit={() => create.run({ guildId: communityId, body: { name } })}
    >
      <TextInput
        label={t('firstRule.newRole')}
        placeholder={t('firstRule.newRoleExample')}
        maxLength={100}
        className={styles.grow}
        {...form.text('name')}
      />
    </Form>
  );
}

function shorten(name: string): string {
  return name.length <= 30 ? name : `${name.slice(0, 29)}…`;
}
