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
import { counted, formatMoney } from '../../shared/words.ts';
import { Admins } from './admins.tsx';
import { AppAccess } from './app-access.tsx';
import { ApprovalPolicy } from './approval-policy.tsx';
import styles from './settings.module.css';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const settings = useOperation('GET /latchkey/communities/{id}/settings', { id: communityId });
  return (
    <Page
      title="Settings"
      crumbs={[{ title: health.data?.name ?? 'Community', to: `/communities/${encodeURIComponent(communityId)}` }]}
    >
      <Query read={health} what="the settings">
        {(data) => <General key={data.name} communityId={communityId} health={data} />}
      </Query>
      <Query read={settings} what="the re-checks">
        {(data) => <CheckPeriod key={data.checkPeriodSeconds} communityId={communityId} settings={data} />}
      </Query>
      {health.data !== undefined && <Admins communityId={communityId} platform={health.data.platform} />}
      <ApprovalPolicy communityId={communityId} />
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
    <Section
      title="Shadow mode"
      lead="Run beside another bot: see where its roles differ from your rules before Latchkey writes any."
    >
      <Link to="/communities/$communityId/shadow-mode" params={{ communityId }}>
        Open shadow mode
      </Link>
    </Section>
  );
}

/** What cannot be undone. The server wants the person to have signed in just now. */
function Danger({ communityId, name }: { communityId: string; name: string }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const remove = useAction('DELETE /latchkey/communities/{communityId}', {
    changes: ['GET /latchkey/account/communities'],
    onDone: () => void navigate({ to: '/' }),
  });
  const isSure = typed.trim() === 'delete';
  return (
    <Section
      title="Danger zone"
      lead="Deleting a community deletes its rules, members, history and settings here. On the platform nothing changes: members keep the roles they have."
      actions={
        <ConfirmButton
          label="Delete community"
          look={{ color: 'red', variant: 'outline' }}
          title={`Delete “${name}”?`}
          yes="Delete community"
          isDangerous
          action={remove}
          onYes={() => (isSure ? remove.runAsync({ communityId }) : undefined)}
        >
          <TextInput
            label="Type delete to continue"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={typed !== '' && !isSure ? 'Type the word delete.' : undefined}
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
    <Section title="General" actions={status === 'kicked' && <State tone="bad">Bot removed</State>}>
      <Form
        isInline
        isQuiet
        submit="Save name"
        canSubmit={wanted !== '' && wanted !== name}
        action={rename}
        onSubmit={() => rename.run({ communityId, body: { name: wanted } })}
      >
        <TextInput
          label="Name"
          description="What members and admins see here."
          maxLength={200}
          className={styles.field}
          {...form.text('name')}
        />
      </Form>
      <Switch
        label="Pause role changes"
        description="While paused, no role is given or removed. Members keep the roles they have."
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

const periods = [
  [1, 'Every hour'],
  [6, 'Every 6 hours'],
  [12, 'Every 12 hours'],
  [24, 'Every day'],
  [72, 'Every 3 days'],
  [168, 'Every week'],
  [720, 'Every 30 days'],
] as const;

/** How often every member is re-checked. */
function CheckPeriod({ communityId, settings }: { communityId: string; settings: Answer<typeof list> }) {
  const { checkPeriodSeconds, isDefaultCheckPeriod, defaultCheckPeriodSeconds, nextCheckTime } = settings;
  const [chosen, setChosen] = useState(String(checkPeriodSeconds));
  const changes = [list] as const;
  const save = useAction('PATCH /latchkey/communities/{id}/settings', { changes });
  const reset = useAction('DELETE /latchkey/communities/{id}/settings/check-period', {
    done: 'The default period applies again.',
    changes,
  });
  const known = periods.map(([hours, label]) => ({ value: String(hours * hourSeconds), label }));
  const isKnown = known.some(({ value }) => value === String(checkPeriodSeconds));
  const own = {
    value: String(checkPeriodSeconds),
    label: `Every ${counted(Math.round(checkPeriodSeconds / hourSeconds), 'hour')}`,
  };
  return (
    <Section
      title="Re-checks"
      lead="Transfers, new wallets and changed rules are checked at once. This is how often all members are checked as well."
    >
      <Form
        isInline
        isQuiet
        submit="Save period"
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
              Use the default ({Math.round(defaultCheckPeriodSeconds / hourSeconds)} hours)
            </Button>
          )
        }
      >
        <Select
          label="Check every member"
          allowDeselect={false}
          data={isKnown ? known : [own, ...known]}
          value={chosen}
          onChange={(value) => setChosen(value ?? chosen)}
          className={styles.field}
        />
      </Form>
      {nextCheckTime !== undefined && (
        <p className={styles.note}>
          Next: <Time at={nextCheckTime} />
        </p>
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
      title="Plan and billing"
      actions={
        current.data?.some(({ price }) => price > 0) === true && (
          <Button size="xs" variant="default" loading={portal.isRunning} onClick={() => portal.run({ body: {} })}>
            Invoices and payment
          </Button>
        )
      }
    >
      {(plans.isPending || current.isPending) && <Loading what="the plans" />}
      <Failure
        error={plans.error ?? current.error}
        onRetry={() => void Promise.all([plans.refetch(), current.refetch()])}
      />
      <List items={current.data === undefined ? [] : (plans.data ?? [])} keyOf={({ sk }) => sk}>
        {(plan) => (
          <Row
            title={plan.name}
            states={own.has(plan.sk) && <State tone="good">Current</State>}
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
                  Choose
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
  if (price === 0) return 'Free';
  return `${formatMoney(price, 'USD')} ${billingPeriod === 'yearly' ? 'a year' : 'a month'}`;
}
