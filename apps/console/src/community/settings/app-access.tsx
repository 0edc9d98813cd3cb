import { TextInput } from '@mantine/core';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmButton, EmptyState, Form, QueryList, Row, Section, Time, useForm } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './settings.module.css';

const list = 'GET /latchkey/communities/{communityId}/applications';

/** The applications of developers that may read this community, and what was given to each. */
export function AppAccess({ communityId }: { communityId: string }) {
  const access = useOperation(list, { communityId });
  const grant = useAction('PUT /latchkey/communities/{communityId}/applications/{clientId}', {
    done: t('access.granted'),
    changes: [list],
    onDone: () => form.reset(),
  });
  const revoke = useAction('DELETE /latchkey/communities/{communityId}/applications/{clientId}', {
    done: t('access.revoked'),
    changes: [list],
  });
  const form = useForm({ clientId: '' }, grant.error);
  const clientId = form.values.clientId.trim();
  return (
    <Section title={t('access.title')} lead={t('access.lead')}>
      <QueryList
        read={access}
        loading={t('access.loading')}
        keyOf={(app) => app.clientId}
        empty={<EmptyState title={t('access.emptyTitle')} />}
      >
        {(app) => (
          <Row
            title={app.name ?? app.clientId}
            note={t.rich('access.mayUse', {
              scopes: t.list(app.scopes),
              time: <Time key="time" at={app.grantedTime} />,
            })}
            actions={
              <ConfirmButton
                label={t('access.revoke')}
                look={{ size: 'xs' }}
                title={t('access.revokeTitle', { name: app.name ?? app.clientId })}
                yes={t('access.revokeAccess')}
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
        submit={t('access.grant')}
        canSubmit={clientId !== ''}
        action={grant}
        onSubmit={() => grant.run({ communityId, clientId, body: {} })}
      >
        <TextInput
          label={t('access.clientId')}
          description={t('access.clientIdHint')}
          maxLength={64}
          className={styles.field}
          {...form.text('clientId')}
        />
      </Form>
    </Section>
  );
}
