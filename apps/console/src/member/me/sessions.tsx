import { Button } from '@mantine/core';
import { sessionWords } from '../../account/session-words.ts';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { openAnew } from '../../shared/open-anew.ts';
import { ConfirmButton, EmptyState, Failure, QueryList, Row, Section, State, Time } from '../../shared/ui/index.ts';

const list = 'GET /latchkey/account/sessions';

export function Sessions() {
  const sessions = useOperation(list, {});
  const end = useAction('DELETE /latchkey/account/sessions/{id}', { done: 'Session ended.', changes: [list] });
  const endAll = useAction('DELETE /latchkey/account/sessions', { onDone: openAnew });
  return (
    <Section
      title="Sessions"
      lead="Where you are signed in, and links and tokens that act for you."
      actions={
        <ConfirmButton
          label="Sign out everywhere"
          title="Sign out everywhere?"
          yes="Sign out everywhere"
          isDangerous
          action={endAll}
          onYes={() => endAll.runAsync({})}
        >
          <p>Every session ends in every browser, this one included. Apps keep their access until you revoke it.</p>
        </ConfirmButton>
      }
    >
      <QueryList
        read={sessions}
        what="sessions"
        lines={2}
        keyOf={({ id }) => id}
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
      </QueryList>
      <Failure error={end.error} />
    </Section>
  );
}
