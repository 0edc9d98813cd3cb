import { Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, EmptyState, Failure, Row, Section, Time } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { FilterBar, Rows } from '../rows.tsx';

type Domain = Answer<'GET /latchkey/operator/signing-domains'>[number];

const list = 'GET /latchkey/operator/signing-domains' as const;

/** Which typed data applications may have hosted wallets sign. */
export function SigningDomains() {
  const [clientId, setClientId] = useState('');
  const [domain, setDomain] = useState('');
  const [removed, setRemoved] = useState<Domain>();
  const domains = useOperation(list, {});
  const allow = useAction('POST /latchkey/operator/applications/{clientId}/signing-domains', {
    changes: [list],
    onDone: () => setDomain(''),
  });
  const remove = useAction('DELETE /latchkey/operator/applications/{clientId}/signing-domains/{domain}', {
    changes: [list],
    onDone: () => setRemoved(undefined),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    allow.run({ clientId: clientId.trim(), body: { domain: domain.trim() } });
  };
  return (
    <Section
      title="Typed data that applications may have signed"
      lead="Hosted wallets sign typed data for an application only if you allow its domain. The owner of the wallet still approves each signature."
    >
      <Stack gap="md">
        <form onSubmit={send}>
          <FilterBar>
            <TextInput
              label="Client id"
              required
              maxLength={64}
              value={clientId}
              onChange={(event) => setClientId(event.currentTarget.value)}
            />
            <TextInput
              label="Domain"
              placeholder="0x…@1 or name:Snapshot"
              required
              maxLength={256}
              value={domain}
              onChange={(event) => setDomain(event.currentTarget.value)}
            />
            <Button type="submit" loading={allow.isRunning}>
              Allow
            </Button>
          </FilterBar>
        </form>
        <Failure error={allow.error} />
        <Answered read={domains} what="domains">
          {(all) =>
            all.length === 0 ? (
              <EmptyState title="No application may have typed data signed">
                When an application is refused, the refusal names the domain to allow.
              </EmptyState>
            ) : (
              <Rows items={all} keyOf={(one) => `${one.clientId} ${one.domain}`}>
                {(one) => (
                  <Row
                    title={one.domain}
                    note={
                      <>
                        Application {one.clientId}, since <Time at={one.createdTime} />
                        {one.notes !== undefined && `, “${one.notes}”`}
                      </>
                    }
                    actions={
                      <Button variant="default" size="compact-sm" onClick={() => setRemoved(one)}>
                        Remove
                      </Button>
                    }
                  />
                )}
              </Rows>
            )
          }
        </Answered>
        <ConfirmDialog
          isOpen={removed !== undefined}
          title="Remove this domain?"
          yes="Remove domain"
          isDangerous
          isRunning={remove.isRunning}
          error={remove.error}
          onYes={() => removed && remove.run({ clientId: removed.clientId, domain: removed.domain })}
          onNo={() => setRemoved(undefined)}
        >
          <Text>The application can no longer have typed data of {removed?.domain} signed.</Text>
        </ConfirmDialog>
      </Stack>
    </Section>
  );
}
