import type { AllowedApplication } from '@latchkey/core';
import { useCallback, useState } from 'react';
import type { Call } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Status } from '../parts/status.tsx';
import { useList } from './use-list.ts';

export function ApplicationSection({ call }: { call: Call }) {
  const read = useCallback(() => call('GET /latchkey/account/applications', {}), [call]);
  const { items, said, run } = useList<AllowedApplication>(read);
  const [leaving, setLeaving] = useState<AllowedApplication>();
  return (
    <section className="card" aria-labelledby="applications-title">
      <h2 id="applications-title">Apps</h2>
      {items?.length === 0 && <p>No app has access to your account.</p>}
      {items !== undefined && items.length > 0 && (
        <ul className="rows">
          {items.map((application) => (
            <li key={application.clientId}>
              <span className="row-text">
                <span>{application.name}</span>
                <small>{describe(application)}</small>
              </span>
              <button
                type="button"
                className="quiet"
                aria-label={`Revoke access of ${application.name}`}
                onClick={() => setLeaving(application)}
              >
                Revoke
              </button>
            </li>
          ))}
        </ul>
      )}
      <Status said={said} />
      {leaving && (
        <Confirm
          title={`Revoke access of ${leaving.name}?`}
          yes="Revoke access"
          onYes={() => {
            setLeaving(undefined);
            void run(`${leaving.name} no longer has access.`, () =>
              call('DELETE /user-authorizations/{clientId}', { clientId: leaving.clientId }),
            );
          }}
          onNo={() => setLeaving(undefined)}
        >
          <p>It is signed out at once. If you use it again, it has to ask you again.</p>
        </Confirm>
      )}
    </section>
  );
}

function describe({ scopes, createdTime }: AllowedApplication): string {
  const may = scopes.map(({ description }) => description).join(', ');
  return `since ${new Date(createdTime).toLocaleDateString()} · may ${may === '' ? 'know that you are the same person' : may}`;
}
