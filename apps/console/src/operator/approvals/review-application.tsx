import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type Action, type ItemOf, useAction } from '../../shared/api/index.ts';
import { CopyText, Dialog, Failure, State } from '../../shared/ui/index.ts';
import { ScopePicker } from './scope-picker.tsx';
import { Decisions, StatusState } from './statuses.tsx';

export type Application = ItemOf<'GET /latchkey/operator/applications'>;
type Decision = 'approve' | 'reject' | 'list' | 'revoke';

const choices: Readonly<Record<Application['status'], readonly (readonly [Decision, string])[]>> = {
  PENDING: [
    ['reject', 'Reject'],
    ['approve', 'Approve'],
  ],
  APPROVED: [
    ['revoke', 'Revoke for good'],
    ['list', 'List publicly'],
  ],
  LISTED: [
    ['revoke', 'Revoke for good'],
    ['approve', 'Stop showing'],
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
    done: 'Decision saved.',
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
  return (
    <Dialog title={app.name ?? 'Application'} size="large" onClose={onClose}>
      <Group gap="xs">
        <StatusState status={app.status} />
        <CopyText text={id} what="client id" />
      </Group>
      <Text size="sm">
        Owner {app.createdByName ?? app.createdById}
        {app.email !== undefined && `, ${app.email}`}
        {app.url !== undefined && (
          <>
            <br />
            Page {app.url}
          </>
        )}
        <br />
        {app.clientType === 'apiKey' ? 'Calls with its key only.' : `Logs people in (${app.clientType}).`}
        {(app.redirectUris ?? []).length > 0 && ` Logins return to ${(app.redirectUris ?? []).join(', ')}.`}
      </Text>
      {app.feedback !== undefined && <Text size="sm">“{app.feedback}”</Text>}
      <ScopePicker
        label="What it may do"
        asked={app.requestedScopes ?? []}
        value={scopes}
        onChange={setScopes}
        isFixed={app.status !== 'PENDING' && app.status !== 'LISTED'}
      />
      {decisions.length > 0 && (
        <Textarea
          label="Notes"
          description="For the owner of the application and for the audit log."
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

const levels = { ok: ['good', 'OK'], warn: ['warn', 'Check'], fail: ['bad', 'Will fail'] } as const;

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
          Test its set-up
        </Button>
        <Text size="sm" c="dimmed">
          Sends its webhook a test event. Changes nothing.
        </Text>
      </Group>
      <Failure error={examine.error} />
      {examine.answer?.findings.map(({ level, about, says }) => (
        <Text key={`${about} ${says}`} size="sm">
          <State tone={levels[level][0]}>{levels[level][1]}</State> {about}: {says}
        </Text>
      ))}
    </Stack>
  );
}
