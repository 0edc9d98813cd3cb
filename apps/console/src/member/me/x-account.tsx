import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type ReturnedFromX, waitForReturn } from '../../account/x-channel.ts';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Row, Section, Time } from '../../shared/ui/index.ts';

const read = 'GET /latchkey/account/x';

/** The linked X account, for rules that look at it. Nothing is shown where this server offers none. */
export function XAccount() {
  const queries = useQueryClient();
  const { data: x } = useOperation(read, {});
  const [note, setNote] = useState('');
  const stopWaiting = useRef<() => void>(undefined);
  useEffect(() => () => stopWaiting.current?.(), []);
  const begin = useAction('POST /latchkey/account/x/attempts');
  const finish = useAction('POST /latchkey/account/x', {
    onDone: () => {
      setNote('Your X account is linked. Checking your roles …');
      void queries.invalidateQueries({ queryKey: [read] });
    },
  });
  const unlink = useAction('DELETE /latchkey/account/x', { changes: [read], onDone: () => setNote('') });

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

  if (x === undefined || (!x.isOffered && x.account === undefined)) return null;
  return (
    <Section
      title="X account"
      lead="Some communities give roles for what your X account shows publicly. Latchkey keeps no access to it."
      actions={
        x.account === undefined && (
          <Button variant="default" loading={begin.isRunning || finish.isRunning} onClick={() => void link()}>
            Link X account
          </Button>
        )
      }
    >
      {x.account && (
        <Row
          title={`@${x.account.name ?? x.account.id}`}
          note={
            <>
              linked <Time at={x.account.linkedTime} />
            </>
          }
          actions={
            <Button size="compact-sm" variant="default" loading={unlink.isRunning} onClick={() => unlink.run({})}>
              Unlink
            </Button>
          }
        />
      )}
      <p role="status">{note}</p>
      <Failure error={begin.error ?? finish.error ?? unlink.error} />
    </Section>
  );
}
