import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, EmptyState, Picture, Row, Section, Time } from '../../shared/ui/index.ts';
import { Rows } from './rows.tsx';

type Application = Answer<'GET /latchkey/account/applications'>[number];
const list = 'GET /latchkey/account/applications';

export function Applications() {
  const applications = useOperation(list, {});
  const [leaving, setLeaving] = useState<Application>();
  const revoke = useAction('DELETE /user-authorizations/{clientId}', {
    changes: [list],
    onDone: () => setLeaving(undefined),
  });
  return (
    <Section title="Apps with access" lead="What you allowed other apps to know and do.">
      <Rows
        query={applications}
        what="apps"
        keyOf={({ clientId }) => clientId}
        empty={<EmptyState title="No app has access to your account" />}
      >
        {(application) => (
          <Row
            picture={<Picture name={application.name} />}
            title={application.name}
            note={
              <>
                since <Time at={application.createdTime} /> · may {mayWords(application)}
              </>
            }
            actions={
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Revoke access of ${application.name}`}
                onClick={() => setLeaving(application)}
              >
                Revoke
              </Button>
            }
          />
        )}
      </Rows>
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title={`Revoke access of ${leaving?.name ?? 'this app'}?`}
        yes="Revoke access"
        isDangerous
        isRunning={revoke.isRunning}
        error={revoke.error}
        onYes={() => leaving && revoke.run({ clientId: leaving.clientId })}
        onNo={() => {
          setLeaving(undefined);
          revoke.reset();
        }}
      >
        <p>It is signed out at once. If you use it again, it has to ask you again.</p>
      </ConfirmDialog>
    </Section>
  );
}

function mayWords({ scopes }: Application): string {
  const words = scopes.map(({ description }) => description).join(', ');
  return words === '' ? 'recognize you when you come back' : words;
}
