import { ApiError } from '@latchkey/client';
import { useCallback, useEffect, useState } from 'react';
import type { Call } from '../api.ts';
import type { Said } from '../parts/status.tsx';
import { describeError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';
import { registerPasskey } from './ceremonies.ts';

export interface Passkey {
  id: string;
  name: string;
  createdTime: string;
  /** It may have been copied, and signs in no more. */
  isBarred: boolean;
}

export interface Passkeys {
  /** Undefined until they are read, and when the link that led here has no say about them. */
  passkeys: readonly Passkey[] | undefined;
  said: Said | undefined;
  add(name: string): Promise<void>;
  rename(passkey: Passkey, name: string): Promise<void>;
  remove(passkey: Passkey): Promise<void>;
}

export function usePasskeys(call: Call): Passkeys {
  const [passkeys, setPasskeys] = useState<readonly Passkey[]>();
  const [said, say] = useState<Said>();
  const ask = useLatest();

  const refresh = useCallback(async () => {
    const isLatest = ask();
    const { items } = await call('GET /webauthn/credentials', {});
    if (!isLatest()) return;
    setPasskeys(
      items.map(({ id = '', name = 'Passkey', createdTime = '', suspicious = false }) => ({
        id,
        name,
        createdTime,
        isBarred: suspicious,
      })),
    );
  }, [call, ask]);

  useEffect(() => {
    refresh().catch((error: unknown) => {
      // A link that is for wallets alone is no failure.
      if (!(error instanceof ApiError)) say({ tone: 'bad', text: describeError(error) });
    });
  }, [refresh]);

  async function run(busy: string, good: string, work: () => Promise<unknown>): Promise<void> {
    say({ tone: 'busy', text: busy });
    try {
      await work();
      await refresh();
      say({ tone: 'good', text: good });
    } catch (error) {
      say({ tone: 'bad', text: describeError(error) });
    }
  }

  return {
    passkeys,
    said,
    add: (name) =>
      run('Follow the steps on your device …', `${name} was added. You can sign in with it now.`, () =>
        registerPasskey(call, name),
      ),
    rename: ({ id }, name) =>
      run('Renaming …', `It is called ${name} now.`, () =>
        call('PATCH /webauthn/credentials/{id}', { id, body: { name } }),
      ),
    remove: ({ id, name }) =>
      run('Deleting …', `${name} is deleted.`, () => call('DELETE /webauthn/credentials/{id}', { id })),
  };
}
