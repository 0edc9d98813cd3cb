import { Button, Select, Switch, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import {
  ConfirmButton,
  Failure,
  Form,
  List,
  Loading,
  Page,
  Query,
  Row,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { formatMoney } from '../../shared/words.ts';
import { t } from '../messages/index.ts';
import { Admins } from './admins.tsx';
import { AppAccess } from './app-access.tsx';
import { ApprovalPolicy } from './approval-policy.tsx';
import { Devvit } from './devvit.tsx';
import { RoleInvites } from './role-invites.tsx';
import styles from './settings.module.css';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const settings = useOperation('GET /latchkey/communities/{id}/settings', { id: communityId });
  return (
    <Page
      title={t('settings.title')}
      crumbs={[
        { title: health.data?.name ?? t('common.community'), to: `/communities/${encodeURIComponent(communityId)}` },
      ]}
    >
      <Query read={health} loading={t('settings.loading')}>
        {(data) => <General key={data.name} communityId={communityId} health={data} />}
      </Query>
      <Query read={settings} loading={t('rechecks.loading')}>
        {(data) => <CheckPeriod key={data.checkPeriodSeconds} communityId={communityId} settings={data} />}
      </Query>
      {health.data !== undefined && <Admins communityId={communityId} platform={health.data.platform} />}
      {health.data !== undefined && <Devvit communityId={communityId} platform={health.data.platform} />}
      <ApprovalPolicy communityId={communityId} />
      {health.data !== undefined && <RoleInvites communityId={communityId} platform={health.data.platform} />}
      <ShadowMode communityId={communityId} />
      <AppAccess communityId={communityId} />
      <Plan communityId={communityId} />
      {health.data !== undefined && <Danger communityId={communityId} name={health.data.name} />}
    </Page>
  );
}

/** The way to shadow mode, for those who have another bot. */
function ShadowMode({ communityId }: { communityId: string }) {
  return (
    <Section title={t('settings.shadowMode')} lead={t('settings.shadowModeLead')}>
      <Link to="/communities/$communityId/shadow-mode" params={{ communityId }}>
        {t('settings.openShadowMode')}
      </Link>
    </Section>
  );
}

const wordToDelete = 'delete';

/** What cannot be undone. The server wants the person to have signed in just now. */
function Danger({ communityId, name }: { communityId: string; name: string }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const remove = useAction('DELETE /latchkey/communities/{communityId}', {
    changes: ['GET /latchkey/account/communities'],
    onDone: () => void navigate({ to: '/' }),
  });
  const isSure = typed.trim() === wordToDelete;
  return (
    <Section
      title={t('settings.danger')}
      lead={t('settings.dangerLead')}
      actions={
        <ConfirmButton
          label={t('settings.delete')}
          look={{ color: 'red', variant: 'outline' }}
          title={t('settings.deleteTitle', { name })}
          yes={t('settings.delete')}
          isDangerous
          canSubmit={isSure}
          action={remove}
          onYes={() => remove.runAsync({ communityId })}
        >
          <p>{t('settings.dangerLead')}</p>
          <TextInput
            label={t('settings.typeToDelete', { word: wordToDelete })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={typed !== '' && !isSure ? t('settings.typeTheWord', { word: wordToDelete }) : undefined}
          />
        </ConfirmButton>
      }
    />
  );
}

const health = 'GET /latchkey/communities/{communityId}/health';

/** The name, and whether roles are written at all. */
function General({ communityId, health: { name, status } }: { communityId: string; health: Answer<typeof health> }) {
  const changes = [health, 'GET /latchkey/account/communities'] as const;
  const rename = useAction('PATCH /latchkey/communities/{communityId}', { changes });
  const pause = useAction('PATCH /latchkey/communities/{communityId}', { changes });
  const form = useForm({ name }, rename.error);
  const wanted = form.values.name.trim();
  return (
    <Section
      title={t('settings.general')}
      actions={status === 'kicked' && <State tone="bad">{t('common.botRemoved')}</State>}
    >
      <Form
        isInline
        isQuiet
        submit={t('settings.saveName')}
        canSubmit={wanted !== '' && wanted !== name}
        action={rename}
        onSubmit={() => rename.run({ communityId, body: { name: wanted } })}
      >
        <TextInput
          label={t('common.name')}
          description={t('settings.nameHint')}
          maxLength={200}
          className={styles.field}
          {...form.text('name')}
        />
      </Form>
      <Switch
        label={t('settings.pause')}
        description={t('settings.pauseHint')}
        checked={status === 'paused'}
        disabled={pause.isRunning || status === 'kicked'}
        onChange={(event) => pause.run({ communityId, body: { isPaused: event.currentTarget.checked } })}
      />
      <Failure error={pause.error} />
    </Section>
  );
}

const list = 'GET /latchkey/communities/{id}/settings';
const hourSeconds = 60 * 60;

/** What an admin can choose from, in hours. */
const periods = [1, 6, 12, 24, 72, 168, 720];

/** How often every member is re-checked. */
function CheckPeriod({ communityId, settings }: { communityId: string; settings: Answer<typeof list> }) {
  const { checkPeriodSeconds, isDefaultCheckPeriod, defaultCheckPeriodSeconds, nextCheckTime } = settings;
  const [chosen, setChosen] = useState(String(checkPeriodSeconds));
  const changes = [list] as const;
  const save = useAction('PATCH /latchkey/communities/{id}/settings', { changes });
  const reset = useAction('DELETE /latchkey/communities/{id}/settings/check-period', {
    done: t('rechecks.reset'),
    changes,
  });
  const option = (seconds: number) => ({
    value: String(seconds),
    label: t('rechecks.every', { hours: Math.round(seconds / hourSeconds) }),
  });
  const known = periods.map((hours) => option(hours * hourSeconds));
  const isKnown = known.some(({ value }) => value === String(checkPeriodSeconds));
  return (
    <Section title={t('rechecks.title')} lead={t('rechecks.lead')}>
      <Form
        isInline
        isQuiet
        submit={t('rechecks.save')}
        canSubmit={chosen !== String(checkPeriodSeconds)}
        action={{ ...save, error: save.error ?? reset.error }}
        onSubmit={() => save.run({ id: communityId, body: { checkPeriodSeconds: Number(chosen) } })}
        buttons={
          !isDefaultCheckPeriod && (
            <Button
              variant="subtle"
              color="gray"
              loading={reset.isRunning}
              onClick={() => reset.run({ id: communityId })}
            >
              {t('rechecks.useDefault', { hours: Math.round(defaultCheckPeriodSeconds / hourSeconds) })}
            </Button>
          )
        }
      >
        <Select
          label={t('rechecks.period')}
          allowDeselect={false}
          data={isKnown ? known : [option(checkPeriodSeconds), ...known]}
          value={chosen}
          onChange={(value) => setChosen(value ?? chosen)}
          className={styles.field}
        />
      </Form>
      {nextCheckTime !== undefined && (
        <p className={styles.note}>{t.rich('rechecks.next', { time: <Time key="time" at={nextCheckTime} /> })}</p>
      )}
    </Section>
  );
}

type Plans = Answer<'GET /communities/plans'>;

/** The plan that the community is on, and those it could be on. Paying happens on the provider's page. */
function Plan({ communityId }: { communityId: string }) {
  const plans = useOperation('GET /communities/plans', {});
  const current = useOperation('GET /communities/{communityId}/subscriptions', { communityId });
  const openPage = (url: string | undefined) => {
    if (url !== undefined) location.assign(url);
  };
  const buy = useAction('POST /latchkey/plans/{planId}/checkout', { onDone: ({ url }) => openPage(url) });
  const portal = useAction('POST /latchkey/account/billing-portal', { onDone: ({ url }) => openPage(url) });
  const own = new Set(current.data?.map(({ sk }) => sk));
  return (
    <Section
      title={t('plan.title')}
      actions={
        current.data?.some(({ price }) => price > 0) === true && (
          <Button size="xs" variant="default" loading={portal.isRunning} onClick={() => portal.run({ body: {} })}>
            {t('plan.invoices')}
          </Button>
        )
      }
    >
      {(plans.isPending || current.isPending) && <Loading text={t('plan.loading')} />}
      <Failure
        error={plans.error ?? current.error}
        onRetry={() => void Promise.all([plans.refetch(), current.refetch()])}
      />
      <List items={current.data === undefined ? [] : (plans.data ?? [])} keyOf={({ sk }) => sk}>
        {(plan) => (
          <Row
            title={plan.name}
            states={own.has(plan.sk) && <State tone="good">{t('plan.current')}</State>}
            note={[priceOf(plan), plan.description].filter(Boolean).join(' · ')}
            actions={
              !own.has(plan.sk) &&
              plan.price > 0 && (
                <Button
                  size="xs"
                  variant="default"
                  loading={buy.isRunning}
                  onClick={() =>
                    buy.run({
                      planId: plan.sk.replace(/^PLAN#/, ''),
                      body: { subscriberId: communityId, redirectUri: location.href },
                    })
                  }
                >
                  {t('plan.choose')}
                </Button>
              )
            }
          />
        )}
      </List>
      <Failure error={buy.error ?? portal.error} />
    </Section>
  );
}

function priceOf({ price, billingPeriod }: Plans[number]): string {
  if (price === 0) return t('plan.free');
  return t(billingPeriod === 'yearly' ? 'plan.yearly' : 'plan.monthly', { price: formatMoney(price, 'USD') });
}
