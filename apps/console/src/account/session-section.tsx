import type { Session } from '@latchkey/core';
import { useCallback, useState } from 'react';
import type { Call } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Status } from '../parts/status.tsx';
import { sessionWords } from './session-words.ts';
import { useList } from './use-list.ts';

export function SessionSection({ call, onEnd }: { call: Call; onEnd: () => void }) {
  const read = useCallback(() => call('GET /latchkey/account/sessions', {}), [call]);
  const { items, said, run, leave } = useList<Session>(read);
  const [leaving, setLeaving] = useState(false);

  const end = ({ id }: Session) =>
    run('The session has ended.', () => call('DELETE /latchkey/account/sessions/{id}', { id }));
  const endAll = () =>
    leave(async () => {
      await call('DELETE /latchkey/account/sessions', {});
      onEnd();
    });

  return (
    <section className="card" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      {items !== undefined && (
        <ul className="rows">
          {items.map((session) => (
            <li key={session.id}>
              <span className="row-text">
                <span>
                  {sessionWords(session.kind)}
                  {session.isCurrent && ' (this one)'}
                </span>
                <small>{describe(session)}</small>
              </span>
              {!session.isCurrent && (
                <button type="button" className="quiet" onClick={() => end(session)}>
                  End
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <Status said={said} />
      <div className="actions">
        <button type="button" className="danger" onClick={() => setLeaving(true)}>
          Log out everywhere
        </button>
      </div>
      {leaving && (
        <Confirm
          title="Log out everywhere?"
          yes="Log out everywhere"
          onYes={() => {
            setLeaving(false);
            void endAll();
          }}
          onNo={() => setLeaving(false)}
        >
          <p>Every session ends in every browser, this one included. Apps keep their access until you revoke it.</p>
        </Confirm>
      )}
    </section>
  );
}

function describe({ createdTime, expiresTime }: Session): string {
  const at = (time: string) => new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return `since ${at(createdTime)} · until ${at(expiresTime)}`;
}
