import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, EmptyState, Failure, Loading, Row, Section, Time } from '../../shared/ui/index.ts';
import styles from './settings.module.css';

const list = 'GET /latchkey/communities/{communityId}/applications';

/** The applications of developers that may read this community, and what was given to each. */
export function AppAccess({ communityId }: { communityId: string }) {
  const access = useOperation(list, { communityId });
  const [clientId, setClientId] = useState('');
  const [leaving, setLeaving] = useState<{ clientId: string; name: string }>();
  const close = () => setLeaving(undefined);
  const changes = [list] as const;
  const grant = useAction('PUT /latchkey/communities/{communityId}/applications/{clientId}', {
    changes,
    onDone: () => setClientId(''),
  });
  const revoke = useAction('DELETE /latchkey/communities/{communityId}/applications/{clientId}', {
    changes,
    onDone: close,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    grant.run({ communityId, clientId: clientId.trim(), body: {} });
  };
  return (
    <Section
      title="Application access"
      lead="Applications of developers that may read this community through the API. Webhooks for its events are set on the application, under Developers."
    >
      {access.isPending && <Loading what="the applications" />}
      <Failure error={access.error} onRetry={() => void access.refetch()} />
      {access.data?.length === 0 && <EmptyState title="No application has access" />}
      <ul className={styles.rows}>
        {access.data?.map((app) => (
          <li key={app.clientId}>
            <Row
              title={app.name ?? app.clientId}
              note={
                <>
                  May use {app.scopes.join(', ')} · since <Time at={app.grantedTime} />
                </>
              }
              actions={
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => setLeaving({ clientId: app.clientId, name: app.name ?? app.clientId })}
                >
                  Revoke
                </Button>
              }
            />
          </li>
        ))}
      </ul>
      <form onSubmit={submit}>
        <Group align="end" gap="xs">
          <TextInput
            label="Client ID"
            description="The developer tells you. It may read, and change nothing."
            maxLength={64}
            value={clientId}
            onChange={(event) => setClientId(event.currentTarget.value)}
            className={styles.field}
          />
          <Button type="submit" variant="default" loading={grant.isRunning} disabled={clientId.trim() === ''}>
            Grant access
          </Button>
        </Group>
      </form>
      <Failure error={grant.error} />
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title={`Revoke the access of ${leaving?.name ?? 'this application'}?`}
        yes="Revoke access"
        isDangerous
        isRunning={revoke.isRunning}
        error={revoke.error}
        onYes={() => revoke.run({ communityId, clientId: leaving?.clientId ?? '' })}
        onNo={close}
      />
    </Section>
  );
}
