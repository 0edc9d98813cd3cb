import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, EmptyState, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { Rows } from './rows.tsx';

type Authenticator = Answer<'GET /latchkey/account/authenticators'>[number];
const list = 'GET /latchkey/account/authenticators';

/** Authenticator apps, whose codes approve what a hosted wallet signs. */
export function Authenticators() {
  const apps = useOperation(list, {});
  const [leaving, setLeaving] = useState<Authenticator>();
  const remove = useAction('DELETE /latchkey/account/authenticators/{requestId}', {
    changes: [list],
    onDone: () => setLeaving(undefined),
  });
  return (
    <Section title="Authenticator apps" lead="Codes of these apps approve what your hosted wallet signs.">
      <Rows
        query={apps}
        what="authenticator apps"
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No authenticator app">An app that uses your hosted wallet helps you add one.</EmptyState>
        }
      >
        {({ id, status, createdAt }) => (
          <Row
            title="Authenticator app"
            states={status === 'confirmed' ? <State tone="good">In use</State> : <State>Waits for a first code</State>}
            note={
              <>
                added <Time at={createdAt} />
              </>
            }
            actions={
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => setLeaving(apps.data?.find((app) => app.id === id))}
              >
                Remove
              </Button>
            }
          />
        )}
      </Rows>
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title="Remove this authenticator app?"
        yes="Remove app"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => leaving && remove.run({ requestId: leaving.id })}
        onNo={() => {
          setLeaving(undefined);
          remove.reset();
        }}
      >
        <p>Its codes no longer count.</p>
      </ConfirmDialog>
    </Section>
  );
}
