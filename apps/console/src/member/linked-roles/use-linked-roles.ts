import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { type Returned, useReturned } from '../../shared/use-returned.ts';

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
  useReturned(({ state: attempt, code }: Returned) => {
    if (code === undefined) setNote('You did not allow it on Discord. Nothing was connected.');
    else finish.run({ body: { state: attempt, code } });
  });
  const connect = async () => {
    setNote('');
    finish.reset();
    try {
      const { url } = await begin.runAsync({});
      location.assign(url);
    } catch {
      // Shown as the error of the action.
    }
  };
  return {
    state,
    note,
    connect,
    isConnecting: begin.isRunning || finish.isRunning,
    error: begin.error ?? finish.error,
    disconnect,
  };
}
