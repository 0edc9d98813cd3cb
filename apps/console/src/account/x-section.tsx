import type { XAccount } from '@latchkey/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Call } from '../api.ts';
import { type Said, Status } from '../parts/status.tsx';
import { sayError } from '../say-error.ts';
import { type ReturnedFromX, waitForReturn } from './x-channel.ts';

/** The linked X account, for rules that look at it. Nothing is shown where this server offers none. */
export function XSection({ call }: { call: Call }) {
  const [x, setX] = useState<XAccount>();
  const [said, say] = useState<Said>();
  const stopWaiting = useRef<() => void>(undefined);

  useEffect(() => {
    call('GET /latchkey/account/x', {}).then(setX, () => undefined);
    return () => stopWaiting.current?.();
  }, [call]);

  const run = useCallback(async (work: () => Promise<Said>) => {
    say({ tone: 'busy', text: 'One moment …' });
    say(await work().catch((error: unknown): Said => ({ tone: 'bad', text: sayError(error) })));
  }, []);

  const finish = ({ state, code }: ReturnedFromX) =>
    run(async () => {
      if (code === undefined) return { tone: 'bad', text: 'You did not allow it on X. Nothing was linked.' };
      setX(await call('POST /latchkey/account/x', { body: { state, code } }));
      return { tone: 'good', text: 'Your X account is linked. Your roles are being checked.' };
    });

  const link = () => {
    // Opened by the click itself, or browsers block it; it goes to X once the server has said where.
    const tab = window.open('', '_blank');
    void run(async () => {
      if (tab === null) return { tone: 'bad', text: 'Your browser blocked the window. Allow pop-ups for this site.' };
      try {
        const { url, state } = await call('POST /latchkey/account/x/attempts', {});
        stopWaiting.current?.();
        stopWaiting.current = waitForReturn(state, (returned) => void finish(returned));
        tab.location.href = url;
      } catch (error) {
        tab.close();
        throw error;
      }
      return { tone: 'busy', text: 'Waiting for X …' };
    });
  };

  const unlink = () =>
    run(async () => {
      await call('DELETE /latchkey/account/x', {});
      setX(await call('GET /latchkey/account/x', {}));
      return { tone: 'good', text: 'Your X account is unlinked.' };
    });

  if (x === undefined || (!x.isOffered && x.account === undefined)) return null;
  return (
    <section className="card" aria-labelledby="x-title">
      <h2 id="x-title">X account</h2>
      <p>Some communities give roles for what your X account shows publicly. Latchkey keeps no access to it.</p>
      {x.account && (
        <ul className="rows">
          <li>
            <span className="row-text">
              <span>@{x.account.name ?? x.account.id}</span>
              <small>linked {new Date(x.account.linkedTime).toLocaleDateString()}</small>
            </span>
            <button type="button" className="quiet" onClick={unlink}>
              Unlink
            </button>
          </li>
        </ul>
      )}
      <Status said={said} />
      {x.isOffered && x.account === undefined && (
        <div className="actions">
          <button type="button" onClick={link}>
            Link X account
          </button>
        </div>
      )}
    </section>
  );
}
