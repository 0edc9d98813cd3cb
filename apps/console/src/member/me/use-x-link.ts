import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type ReturnedFromX, waitForReturn } from '../../account/x-channel.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';

const read = 'GET /latchkey/account/x';

export interface XLink {
  account: Answer<typeof read>['account'];
  /** This server offers it, and no account is linked yet. */
  canLink: boolean;
  isRunning: boolean;
  /** How it goes, as a sentence. */
  note: string;
  error: unknown;
  link(): Promise<void>;
  unlink: { run(): Promise<boolean>; isRunning: boolean; error: unknown; reset(): void };
}

/** The linked X account, for rules that look at it. */
export function useXLink(): XLink {
  const queries = useQueryClient();
  const { data: x } = useOperation(read, {});
  const [note, setNote] = useState('');
  const stopWaiting = useRef<() => void>(undefined);
  useEffect(() => () => stopWaiting.current?.(), []);
  const begin = useAction('POST /latchkey/account/x/attempts');
  const finish = useAction('POST /latchkey/account/x', {
    onDone: () => {
      setNote('Your X account is linked. Your roles follow in a moment.');
      void queries.invalidateQueries({ queryKey: [read] });
    },
  });
  const unlink = useAction('DELETE /latchkey/account/x', {
    changes: [read],
    onDone: () => setNote('Your X account is unlinked.'),
  });

  const back = ({ state, code }: ReturnedFromX) => {
    if (code === undefined) setNote('You did not allow it on X. Nothing was linked.');
    else finish.run({ body: { state, code } });
  };
  const link = async () => {
    // Opened by the click itself, or browsers block it; it goes to X once the server has said where.
    const tab = window.open('', '_blank');
    if (tab === null) return setNote('Your browser blocked the window. Allow pop-ups for this site.');
    try {
      const { url, state } = await begin.runAsync({});
      stopWaiting.current?.();
      stopWaiting.current = waitForReturn(state, back);
      setNote('Waiting for X …');
      tab.location.href = url;
    } catch {
      tab.close();
    }
  };

  return {
    account: x?.account,
    canLink: x?.isOffered === true && x.account === undefined,
    isRunning: begin.isRunning || finish.isRunning,
    note,
    error: begin.error ?? finish.error,
    link,
    unlink: {
      run: () =>
        unlink.runAsync({}).then(
          () => true,
          () => false,
        ),
      isRunning: unlink.isRunning,
      error: unlink.error,
      reset: unlink.reset,
    },
  };
}
