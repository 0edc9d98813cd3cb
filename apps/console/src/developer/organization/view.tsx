import { ApiError } from '@latchkey/client';
import { Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { TreasuryView } from '../../shared/treasury.tsx';
import { EmptyState, Failure, Form, Loading, Page, QueryList, Section, useForm } from '../../shared/ui/index.ts';
import { NewAppDialog } from '../new-app.tsx';
import { AppRow, MiniAppList, Unread } from '../parts.tsx';

const crumbs = [{ to: '/developers', title: 'Developers' }];

export function View() {
  const { orgId } = useScreenParams('orgId');
  const [isAddingApp, setIsAddingApp] = useState(false);
  const { data, error, refetch } = useOperation('GET /latchkey/dev-orgs', {});
  const organization = data?.find(({ id }) => id === orgId);
  if (data === undefined)
    return <Unread title="Organization" what="the organization" error={error} onRetry={() => void refetch()} />;
  if (organization === undefined)
    return (
      <Page title="Organization not found" crumbs={crumbs}>
        <EmptyState title="It is not among your organizations">It may belong to another account of yours.</EmptyState>
      </Page>
    );
  const { name, email, isVerified, planName, maxApps } = organization;
  return (
    <Page
      title={name}
      lead={`${email} · ${planName} plan, up to ${maxApps} applications`}
      crumbs={crumbs}
      actions={
        isVerified && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setIsAddingApp(true)}>
            New application
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
    <Section title="Applications">
      <QueryList
        read={apps}
        what="applications"
        keyOf={({ id = '' }) => id}
        empty={<EmptyState title="No applications yet">Create the first one above.</EmptyState>}
      >
        {(app) => <AppRow app={app} />}
      </QueryList>
    </Section>
  );
}

function MiniApps({ orgId }: { orgId: string }) {
  return (
    <Section
      title="Mini-apps"
      actions={
        <Button variant="default" component={Link} to="/developers/mini-apps">
          Open mini-apps
        </Button>
      }
    >
      <MiniAppList
        orgId={orgId}
        empty={<EmptyState title="No mini-apps yet">Register one under Mini-apps.</EmptyState>}
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
  if (wallet.data !== undefined) return <TreasuryView title="Wallet" address={wallet.data.address} />;
  const isMissing = wallet.error instanceof ApiError && wallet.error.status === 404;
  return (
    <Section title="Wallet">
      {wallet.isPending && <Loading what="the wallet" lines={2} />}
      {!isMissing && <Failure error={wallet.error} onRetry={() => void wallet.refetch()} />}
      {isMissing && (
        <EmptyState
          title="No wallet yet"
          action={
            <Button variant="default" loading={create.isRunning} onClick={() => create.run({ orgId })}>
              Create wallet
            </Button>
          }
        >
          A Safe that receives coins and tokens for the organization. This server’s signer creates and stores its key.
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
    <Section
      title="Confirm the e-mail address"
      lead={`We sent a six-digit code to ${email}. It expires after a few minutes.`}
    >
      <Form
        isInline
        submit="Confirm"
        canSubmit={/^\d{6}$/.test(otp)}
        action={{ ...verify, error: verify.error ?? again.error }}
        onSubmit={() => verify.run({ body: { otp } })}
        buttons={
          <Button variant="subtle" loading={again.isRunning} onClick={() => again.run({ body: { name, email } })}>
            Send another code
          </Button>
        }
      >
        <TextInput label="Code" inputMode="numeric" autoComplete="one-time-code" maxLength={6} {...form.text('otp')} />
      </Form>
      {again.answer !== undefined && <p role="status">Another code was sent.</p>}
    </Section>
  );
}
