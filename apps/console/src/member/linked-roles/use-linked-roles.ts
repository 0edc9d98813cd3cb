import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { useConsent } from '../../shared/use-consent.ts';

const read = 'GET /latchkey/account/linked-roles';
export type LinkedRoles = Answer<typeof read>;

/** What Discord is told of the person, and the way to Discord and back on which they allow it. */
export function useLinkedRoles() {
  const state = useOperation(read, {});
  const [note, setNote] = useState('');
  const begin = useAction('POST /latchkey/account/linked-roles/attempts');
  const finish = useAction('POST /latchkey/account/linked-roles', {
    changes: [read],
    onDone: () => setNote('Connected. Discord is told within a minute.'),
  });
  const disconnect = useAction('DELETE /latchkey/account/linked-roles', {
    changes: [read],
    onDone: () => setNote('Disconnected. Discord removes the roles that depended on it.'),
  });
  const connect = useConsent({
    begin: () => {
      setNote('');
      finish.reset();
      return begin.runAsync({});
    },
    finish: (body) => finish.run({ body }),
    onDenied: () => setNote('You did not allow it on Discord. Nothing was connected.'),
  });
  return {
    state,
    note,
    connect,
    isConnecting: begin.isRunning || finish.isRunning,
    error: begin.error ?? finish.error,
    disconnect,
  };
}
