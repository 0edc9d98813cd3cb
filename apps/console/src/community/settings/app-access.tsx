import { TextInput } from '@mantine/core';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmButton, EmptyState, Form, QueryList, Row, Section, Time, useForm } from '../../shared/ui/index.ts';
import styles from './settings.module.css';

const list = 'GET /latchkey/communities/{communityId}/applications';

/** The applications of developers that may read this community, and what was given to each. */
export function AppAccess({ communityId }: { communityId: string }) {
  const access = useOperation(list, { communityId });
  const grant = useAction('PUT /latchkey/communities/{communityId}/applications/{clientId}', {
    done: 'Access granted.',
    changes: [list],
    onDone: () => form.reset(),
  });
  const revoke = useAction('DELETE /latchkey/communities/{communityId}/applications/{clientId}', {
    done: 'Access revoked.',
    changes: [list],
  });
  const form = useForm({ clientId: '' }, grant.error);
  const clientId = form.values.clientId.trim();
  return (
    <Section
      title="Application access"
      lead="Applications of developers that may read this community through the API. Webhooks for its events are set on the application, under Developers."
    >
      <QueryList
        read={access}
        what="the applications"
        keyOf={(app) => app.clientId}
        empty={<EmptyState title="No application has access" />}
      >
        {(app) => (
          <Row
            title={app.name ?? app.clientId}
            note={
              <>
                May use {app.scopes.join(', ')} · since <Time at={app.grantedTime} />
              </>
            }
            actions={
              <ConfirmButton
                label="Revoke"
                look={{ size: 'xs' }}
                title={`Revoke the access of ${app.name ?? app.clientId}?`}
                yes="Revoke access"
                isDangerous
                action={revoke}
                onYes={() => revoke.runAsync({ communityId, clientId: app.clientId })}
              />
            }
          />
        )}
      </QueryList>
      <Form
        isInline
        isQuiet
        submit="Grant access"
        canSubmit={clientId !== ''}
        action={grant}
        onSubmit={() => grant.run({ communityId, clientId, body: {} })}
      >
        <TextInput
          label="Client ID"
          description="The developer tells you. It may read, and change nothing."
          maxLength={64}
          className={styles.field}
          {...form.text('clientId')}
        />
      </Form>
    </Section>
  );
}
