import { ApiError } from '@latchkey/client';
import { Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { TreasuryView } from '../../shared/treasury/treasury.tsx';
import { EmptyState, Failure, Form, Loading, Page, QueryList, Section, useForm } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { NewAppDialog } from '../new-app.tsx';
import { AppRow, MiniAppList, Unread } from '../parts.tsx';

export function View() {
  const { orgId } = useScreenParams('orgId');
  const [isAddingApp, setIsAddingApp] = useState(false);
  const { data, error, refetch } = useOperation('GET /latchkey/dev-orgs', {});
  const crumbs = [{ to: '/developers', title: t('developers.title') }];
  const organization = data?.find(({ id }) => id === orgId);
  if (data === undefined)
    return (
      <Unread
        title={t('organization.title')}
        loading={t('organization.loading')}
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (organization === undefined)
    return (
      <Page title={t('organization.notFound')} crumbs={crumbs}>
        <EmptyState title={t('organization.notYours')}>{t('organization.notYoursNote')}</EmptyState>
      </Page>
    );
  const { name, email, isVerified, planName, maxApps } = organization;
  return (
    <Page
      title={name}
      lead={t('organization.plan', { email, plan: planName, apps: maxApps })}
      crumbs={crumbs}
      actions={
        isVerified && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setIsAddingApp(true)}>
            {t('newApp.title')}
          </Button>
        )
      }
    >
      {!isVerified && <ConfirmEmail name={name} email={email} />}
      {isVerified && <Apps orgId={orgId} />}
      {isVerified && <MiniApps orgId={orgId} />}
      {isVerified && <Wallet orgId={orgId} />}
      <NewAppDialog isOpen={isAddingApp} orgId={orgId} onClose={() => setIsAddingApp(false)} />
    </Page>
  );
}

function Apps({ orgId }: { orgId: string }) {
  const apps = useOperation('GET /client-apps/dev-orgs/{organizationId}', { organizationId: orgId });
  return (
    <Section title={t('apps.title')}>
      <QueryList
        read={apps}
        loading={t('apps.loading')}
        keyOf={({ id = '' }) => id}
        empty={<EmptyState title={t('apps.none')}>{t('apps.noneInOrganization')}</EmptyState>}
      >
        {(app) => <AppRow app={app} />}
      </QueryList>
    </Section>
  );
}

function MiniApps({ orgId }: { orgId: string }) {
  return (
    <Section
      title={t('miniApps.title')}
      actions={
        <Button variant="default" component={Link} to="/developers/mini-apps">
          {t('miniApps.open')}
        </Button>
      }
    >
      <MiniAppList
        orgId={orgId}
        empty={<EmptyState title={t('miniApps.none')}>{t('miniApps.noneInOrganization')}</EmptyState>}
      />
    </Section>
  );
}

const read = 'GET /dev-orgs/{orgId}/wallet';

/** The Safe of the organization. */
function Wallet({ orgId }: { orgId: string }) {
  useLive('account');
  const wallet = useOperation(read, { orgId });
  const create = useAction('PUT /dev-orgs/{orgId}/wallet', { changes: [read] });
  if (wallet.data !== undefined) return <TreasuryView title={t('organization.wallet')} address={wallet.data.address} />;
  const isMissing = wallet.error instanceof ApiError && wallet.error.status === 404;
  return (
    <Section title={t('organization.wallet')}>
      {wallet.isPending && <Loading text={t('organization.loadingWallet')} lines={2} />}
      {!isMissing && <Failure error={wallet.error} onRetry={() => void wallet.refetch()} />}
      {isMissing && (
        <EmptyState
          title={t('organization.noWallet')}
          action={
            <Button variant="default" loading={create.isRunning} onClick={() => create.run({ orgId })}>
              {t('organization.createWallet')}
            </Button>
          }
        >
          {t('organization.noWalletNote')}
        </EmptyState>
      )}
      <Failure error={create.error} />
    </Section>
  );
}

/** Asks for the emailed code, and can send another. */
function ConfirmEmail({ name, email }: { name: string; email: string }) {
  const verify = useAction('POST /dev-orgs/verify', { changes: ['GET /latchkey/dev-orgs'] });
  const again = useAction('POST /dev-orgs');
  const form = useForm({ otp: '' }, verify.error);
  const otp = form.values.otp.trim();
  return (
    <Section title={t('organization.confirm')} lead={t('organization.confirmLead', { email })}>
      <Form
        isInline
        submit={t('organization.confirmYes')}
        canSubmit={/^\d{6}$/.test(otp)}
        action={{ ...verify, error: verify.error ?? again.error }}
        onSubmit={() => verify.run({ body: { otp } })}
        buttons={
          <Button variant="subtle" loading={again.isRunning} onClick={() => again.run({ body: { name, email } })}>
            {t('organization.anotherCode')}
          </Button>
        }
      >
        <TextInput
          label={t('organization.code')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          {...form.text('otp')}
        />
      </Form>
      {again.answer !== undefined && <p role="status">{t('organization.anotherCodeSent')}</p>}
    </Section>
  );
}
