import { Button, Checkbox, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Loading, Section, State } from '../../shared/ui/index.ts';
import styles from '../legend.module.css';

const groupTitles: Readonly<Record<string, string>> = {
  user: 'People',
  'verifiable-credential': 'Verifiable credentials',
  community: 'Communities',
  discord: 'Discord',
  'token-gating': 'Token gating',
  'log-settings': 'Server log',
  'role-manager': 'Roles',
  state: 'Short links',
  telefrens: 'Waiting list',
};

type Scope = Answer<'GET /latchkey/client-apps/{id}/overview'>['scopes'][number];

export function ScopesTab({ appId }: { appId: string }) {
  const { data, error, isLoading, refetch } = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  if (isLoading) return <Loading what="scopes" />;
  if (data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  return <ScopesForm appId={appId} scopes={data.scopes} />;
}

function ScopesForm({ appId, scopes }: { appId: string; scopes: readonly Scope[] }) {
  const [wanted, setWanted] = useState(() => scopes.filter(({ isRequested }) => isRequested).map(({ scope }) => scope));
  const [reason, setReason] = useState('');
  const request = useAction('PUT /latchkey/client-apps/{id}/requested-scopes', {
    changes: ['GET /latchkey/client-apps/{id}/overview', 'GET /client-apps/{id}'],
    onDone: () => setReason(''),
  });
  const groups = [...new Set(scopes.map(({ group }) => group))];
  return (
    <Section
      title="Scopes"
      lead="What the application may do. Tick what you need and say why; the operator of this server decides."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          request.run({ id: appId, body: { scopes: wanted, ...(reason.trim() !== '' && { reason: reason.trim() }) } });
        }}
      >
        <Checkbox.Group aria-label="Requested scopes" value={wanted} onChange={setWanted}>
          <Stack gap="lg">
            {groups.map((group) => (
              <Stack key={group} gap="xs" component="fieldset" p={0} m={0} bd={0}>
                <legend className={styles.legend}>{groupTitles[group] ?? group}</legend>
                {scopes
                  .filter((scope) => scope.group === group)
                  .map(({ scope, description, state }) => (
                    <Group key={scope} gap="xs" align="flex-start" justify="space-between">
                      <Checkbox value={scope} label={description} description={scope} />
                      {state === 'granted' && <State tone="good">Granted</State>}
                      {state === 'closed' && <State tone="bad">Not allowed</State>}
                    </Group>
                  ))}
              </Stack>
            ))}
          </Stack>
        </Checkbox.Group>
        <Stack mt="md">
          <Textarea
            label="What do you need them for?"
            maxLength={1000}
            autosize
            minRows={2}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Failure error={request.error} />
          {request.answer !== undefined && (
            <p role="status">Requested. The operator sees it in the list of applications.</p>
          )}
          <Group justify="flex-end">
            <Button type="submit" loading={request.isRunning}>
              Request scopes
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
