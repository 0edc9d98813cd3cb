import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type Action, type ItemOf, useAction } from '../../shared/api/index.ts';
import { CopyText, Dialog, Failure, State } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { ScopePicker } from './scope-picker.tsx';
import { Decisions, type DecisionText, StatusState } from './statuses.tsx';

export type Application = ItemOf<'GET /latchkey/operator/applications'>;
type Decision = 'approve' | 'reject' | 'list' | 'revoke';

const choices: Readonly<Record<Application['status'], readonly (readonly [Decision, DecisionText])[]>> = {
  PENDING: [
    ['reject', 'decision.reject'],
    ['approve', 'decision.approve'],
  ],
  APPROVED: [
    ['revoke', 'decision.revokeForGood'],
    ['list', 'decision.listPublicly'],
  ],
  LISTED: [
    ['revoke', 'decision.revokeForGood'],
    ['approve', 'decision.stopShowing'],
  ],
  REJECTED: [],
  REVOKED: [],
};

/** One application: what it requests, what each scope allows, and the decision. */
export function ReviewApplication({ app, onClose }: { app: Application; onClose(): void }) {
  const id = app.id ?? '';
  const granted = app.allowedScopes ?? [];
  const [scopes, setScopes] = useState<readonly string[]>(granted.length > 0 ? granted : (app.requestedScopes ?? []));
  const [notes, setNotes] = useState('');
  const decide = useAction('POST /latchkey/operator/applications/{id}/decision', {
    done: t('approvals.saved'),
    changes: ['GET /latchkey/operator/applications'],
    onDone: onClose,
  });
  const examine = useAction('POST /latchkey/operator/applications/{id}/examination');
  const send = (decision: Decision) =>
    decide.run({
      id,
      body: {
        decision,
        ...(decision === 'approve' && { scopes: [...scopes] }),
        ...(notes.trim() !== '' && { notes: notes.trim() }),
      },
    });
  const decisions = choices[app.status];
  const owner = app.createdByName ?? app.createdById ?? '';
  const redirects = app.redirectUris ?? [];
  return (
    <Dialog title={app.name ?? t('application.title')} size="large" onClose={onClose}>
      <Group gap="xs">
        <StatusState status={app.status} />
        <CopyText text={id} what={t('application.clientId')} />
      </Group>
      <Text size="sm">
        {app.email === undefined
          ? t('application.owner', { name: owner })
          : t('application.ownerWithEmail', { name: owner, email: app.email })}
        {app.url !== undefined && (
          <>
            <br />
            {t('application.page', { url: app.url })}
          </>
        )}
        <br />
        {app.clientType === 'apiKey'
          ? t('application.keyOnly')
          : t('application.logsIn', { clientType: String(app.clientType) })}
        {redirects.length > 0 && ` ${t('application.returnsTo', { addresses: t.list(redirects) })}`}
      </Text>
      {app.feedback !== undefined && <Text size="sm">“{app.feedback}”</Text>}
      <ScopePicker
        label={t('application.scopes')}
        requested={app.requestedScopes ?? []}
        value={scopes}
        onChange={setScopes}
        isFixed={app.status !== 'PENDING' && app.status !== 'LISTED'}
      />
      {decisions.length > 0 && (
        <Textarea
          label={t('approvals.notes')}
          description={t('application.notesHint')}
          value={notes}
          maxLength={1000}
          autosize
          minRows={2}
          onChange={(event) => setNotes(event.currentTarget.value)}
        />
      )}
      <Findings examine={examine} onExamine={() => examine.run({ id })} />
      <Decisions choices={decisions} action={decide} onDecide={send} />
    </Dialog>
  );
}

const tones = { ok: 'good', warn: 'warn', fail: 'bad' } as const;

/** Tests the setup of an application: what works, what may surprise, what will fail. */
function Findings({
  examine,
  onExamine,
}: {
  examine: Action<'POST /latchkey/operator/applications/{id}/examination'>;
  onExamine(): void;
}) {
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" size="compact-sm" loading={examine.isRunning} onClick={onExamine}>
          {t('application.test')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('application.testHint')}
        </Text>
      </Group>
      <Failure error={examine.error} />
      {examine.answer?.findings.map(({ level, about, says }) => (
        <Text key={`${about} ${says}`} size="sm">
          <State tone={tones[level]}>{t(`application.${level}`)}</State> {about}: {says}
        </Text>
      ))}
    </Stack>
  );
}
