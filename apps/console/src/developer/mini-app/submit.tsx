import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Failure, Section } from '../../shared/ui/index.ts';
import type { MiniApp } from './types.ts';

const says: Readonly<Partial<Record<MiniApp['status'], string>>> = {
  PENDING: 'The operator of this server reviews it. Check it below meanwhile: it must pass before it can be listed.',
  APPROVED: 'The operator approved it and can list it in the marketplace.',
  LISTED: 'Communities can install it. It is checked every week.',
};

/** Where the mini-app stands, and the way back to the operator for one that was turned down. */
export function Submit({ app, miniAppId }: { app: MiniApp; miniAppId: string }) {
  const [notes, setNotes] = useState('');
  const submit = useAction('POST /latchkey/miniapps/{miniAppId}/submit', {
    changes: ['GET /latchkey/miniapps/{miniAppId}', 'GET /miniapps/dev-orgs/{organizationId}'],
  });
  const known = says[app.status];
  if (known !== undefined)
    return (
      <Section title="Review">
        <Text size="sm">{known}</Text>
      </Section>
    );
  const reason = (app.actions ?? []).findLast(({ notes: why }) => why !== undefined)?.notes;
  return (
    <Section
      title="Submit it again"
      lead={reason === undefined ? 'Fix it, then have it reviewed again.' : `The reason given: ${reason}`}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit.run({ miniAppId, body: notes.trim() === '' ? {} : { notes: notes.trim() } });
        }}
      >
        <Stack>
          <Textarea
            label="What did you fix?"
            maxLength={1000}
            autosize
            minRows={2}
            value={notes}
            onChange={(event) => setNotes(event.currentTarget.value)}
          />
          <Failure error={submit.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={submit.isRunning}>
              Submit for review
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
