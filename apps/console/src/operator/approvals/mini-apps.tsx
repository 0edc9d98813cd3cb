import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type ItemOf, useAction, usePages } from '../../shared/api/index.ts';
import { Failure, State, Time } from '../../shared/ui/index.ts';
import { ReviewList, useReviewFilter } from './review-list.tsx';
import { type Status, StatusState } from './statuses.tsx';

type MiniApp = ItemOf<'GET /latchkey/operator/mini-apps'>;
type Decision = 'approve' | 'reject' | 'reopen' | 'list' | 'revoke';

const choices: Readonly<Record<Status, readonly (readonly [Decision, string])[]>> = {
  PENDING: [
    ['reject', 'Reject'],
    ['approve', 'Approve'],
  ],
  APPROVED: [
    ['revoke', 'Revoke'],
    ['list', 'Probe and list'],
  ],
  LISTED: [
    ['revoke', 'Revoke'],
    ['approve', 'Take off the list'],
  ],
  REJECTED: [['reopen', 'Review again']],
  REVOKED: [['approve', 'Approve again']],
};

export function MiniApps() {
  const filter = useReviewFilter();
  const [reviewed, setReviewed] = useState<MiniApp>();
  const apps = usePages('GET /latchkey/operator/mini-apps', filter.input);
  return (
    <>
      <ReviewList<MiniApp>
        filter={filter}
        pages={apps}
        what="mini-apps"
        one="mini-app"
        searchLabel="Name, id or organization"
        note={(app) => (
          <>
            {app.description}
            {app.createdTime !== undefined && (
              <>
                <br />
                Registered <Time at={app.createdTime} isRelative />
              </>
            )}
          </>
        )}
        onReview={setReviewed}
      />
      {reviewed !== undefined && <Review app={reviewed} onClose={() => setReviewed(undefined)} />}
    </>
  );
}

const outcomes = { safe: ['good', 'Safe'], unsafe: ['bad', 'Unsafe'], failed: ['warn', 'No answer'] } as const;

function Review({ app, onClose }: { app: MiniApp; onClose(): void }) {
  const id = app.id ?? '';
  const [notes, setNotes] = useState('');
  const changes = ['GET /latchkey/operator/mini-apps'] as const;
  const decide = useAction('POST /latchkey/operator/mini-apps/{id}/decision', { changes, onDone: onClose });
  const probe = useAction('POST /latchkey/miniapps/{miniAppId}/probe', { changes });
  const decisions = choices[app.status];
  return (
    <Modal opened onClose={onClose} title={app.name} size="lg" data-dialog-open>
      <Stack gap="md">
        <Group gap="xs">
          <StatusState status={app.status} />
          <Text size="sm">{(app.platforms ?? []).join(', ')}</Text>
        </Group>
        <Text size="sm">{app.description}</Text>
        {app.url !== undefined && <Text size="sm">Called at {app.url}</Text>}
        {app.feedback !== undefined && <Text size="sm">“{app.feedback}”</Text>}
        {(app.actions ?? []).length > 0 && (
          <Text size="sm" c="dimmed">
            Last decision: {app.actions?.at(-1)?.action}
            {app.actions?.at(-1)?.notes !== undefined && `, “${app.actions.at(-1)?.notes}”`}
          </Text>
        )}
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            loading={probe.isRunning}
            onClick={() => probe.run({ miniAppId: id })}
          >
            Probe now
          </Button>
          <Text size="sm" c="dimmed">
            Sends forged calls, which it must refuse.
          </Text>
        </Group>
        <Failure error={probe.error} />
        {probe.answer !== undefined && (
          <Text size="sm">
            <State tone={outcomes[probe.answer.outcome][0]}>{outcomes[probe.answer.outcome][1]}</State>{' '}
            {probe.answer.reason ?? 'It answers and refuses forged calls.'}
          </Text>
        )}
        <Textarea
          label="Notes"
          description="For its developer and for the audit log."
          value={notes}
          maxLength={1000}
          autosize
          minRows={2}
          onChange={(event) => setNotes(event.currentTarget.value)}
        />
        <Failure error={decide.error} />
        <Group justify="flex-end" gap="xs">
          {decisions.map(([decision, words], index) => (
            <Button
              key={decision}
              variant={index === decisions.length - 1 ? 'filled' : 'default'}
              loading={decide.isRunning}
              onClick={() =>
                decide.run({ id, body: { decision, ...(notes.trim() !== '' && { notes: notes.trim() }) } })
              }
            >
              {words}
            </Button>
          ))}
        </Group>
      </Stack>
    </Modal>
  );
}
