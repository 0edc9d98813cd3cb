import { Switch } from '@mantine/core';
import { useState } from 'react';
import { useOperation, usePages } from '../../shared/api/index.ts';
import { CopyText, EmptyState, PagedList, Row, Section, State, Time } from '../../shared/ui/index.ts';

const credentials = { 'api-key': 'API key', 'old-api-key': 'replaced API key', token: 'token of a person' } as const;

export function CallsTab({ appId }: { appId: string }) {
  const [onlyErrors, setOnlyErrors] = useState(false);
  const calls = usePages('GET /latchkey/client-apps/{id}/calls', { id: appId, ...(onlyErrors && { onlyErrors }) });
  const usage = useOperation('GET /latchkey/client-apps/{id}/usage', { id: appId });
  return (
    <Section
      title="Recent calls"
      lead="What the application called in the last 3 days. Give the request ID to the operator to find a call in the server’s log."
      actions={
        <Switch
          label="Errors only"
          checked={onlyErrors}
          onChange={(event) => setOnlyErrors(event.currentTarget.checked)}
        />
      }
    >
      <PagedList
        pages={calls}
        what="calls"
        keyOf={({ requestId, calledAt }) => `${calledAt} ${requestId}`}
        empty={<NoCalls keepsCalls={usage.data?.keepsCalls ?? true} onlyErrors={onlyErrors} />}
      >
        {({ method, route, status, errorCode, calledAt, tookMs, requestId, credential }) => (
          <Row
            title={<span title={`${method} ${route}`}>{`${method} ${route}`}</span>}
            states={<State tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</State>}
            note={
              <>
                <Time at={calledAt} /> · {tookMs} ms · {credentials[credential]}
                {errorCode !== undefined && ` · ${errorCode}`}
              </>
            }
            actions={<CopyText text={requestId} what="request ID" />}
          />
        )}
      </PagedList>
    </Section>
  );
}

function NoCalls({ keepsCalls, onlyErrors }: { keepsCalls: boolean; onlyErrors: boolean }) {
  if (!keepsCalls)
    return <EmptyState title="Calls are not kept">The operator of this server has turned the log off.</EmptyState>;
  if (onlyErrors) return <EmptyState title="No errors">Every call of the last 3 days was answered.</EmptyState>;
  return (
    <EmptyState title="No calls yet">
      Call the API with the key or with a token; calls appear after a few seconds.
    </EmptyState>
  );
}
