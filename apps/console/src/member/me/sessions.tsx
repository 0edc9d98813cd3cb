import { Button } from '@mantine/core';
import { useState } from 'react';
import { sessionWords } from '../../account/session-words.ts';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { openAnew } from '../../shared/open-anew.ts';
import { ConfirmDialog, EmptyState, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { Rows } from './rows.tsx';

const list = 'GET /latchkey/account/sessions';

export function Sessions() {
  const sessions = useOperation(list, {});
  const [isLeaving, setIsLeaving] = useState(false);
  const end = useAction('DELETE /latchkey/account/sessions/{id}', { changes: [list] });
  const endAll = useAction('DELETE /latchkey/account/sessions', { onDone: openAnew });
  return (
    <Section
      title="Sessions"
      lead="Where you are signed in, and links and tokens that act for you."
      actions={
        <Button variant="default" onClick={() => setIsLeaving(true)}>
          Log out everywhere
        </Button>
      }
    >
      <Rows
        query={sessions}
        what="sessions"
        keyOf={({ id }) => id}
        error={end.error}
        empty={<EmptyState title="No sessions" />}
      >
        {(session) => (
          <Row
            title={sessionWords(session.kind)}
            states={session.isCurrent && <State tone="good">This one</State>}
            note={
              <>
                since <Time at={session.createdTime} /> · until <Time at={session.expiresTime} />
              </>
            }
            actions={
              !session.isCurrent && (
                <Button size="compact-sm" variant="default" onClick={() => end.run({ id: session.id })}>
                  End
                </Button>
              )
            }
          />
        )}
      </Rows>
      <ConfirmDialog
        isOpen={isLeaving}
        title="Log out everywhere?"
        yes="Log out everywhere"
        isDangerous
        isRunning={endAll.isRunning}
        error={endAll.error}
        onYes={() => endAll.run({})}
        onNo={() => {
          setIsLeaving(false);
          endAll.reset();
        }}
      >
        <p>Every session ends in every browser, this one included. Apps keep their access until you revoke it.</p>
      </ConfirmDialog>
    </Section>
  );
}
