import { ApiError } from '@latchkey/client';
import type { MyRoles } from '@latchkey/core';
import { useCallback, useEffect, useState } from 'react';
import type { Call } from '../api.ts';
import { describeError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';

const pauseMs = 3_000;
/** A minute; whoever waits longer can ask again. */
const mostChecks = 20;

export interface MyRolesHere {
  roles: MyRoles | undefined;
  failure: string | undefined;
  isChecking: boolean;
  again(): void;
}

/** The person's roles in one community: read at once, and followed after each change until they have been written. */
export function useMyRoles(call: Call, communityId: string, changes: number): MyRolesHere {
  const [roles, setRoles] = useState<MyRoles>();
  const [failure, setFailure] = useState<string>();
  const [isChecking, setIsChecking] = useState(true);
  const [asked, setAsked] = useState(0);
  const ask = useLatest();

  const follow = useCallback(
    async (isLatest: () => boolean, isFirst: boolean) => {
      setIsChecking(true);
      try {
        // A change of wallets has started a check by itself.
        if (!isFirst) await call('POST /latchkey/account/communities/{communityId}/role-check', { communityId });
        for (let look = 0; look < mostChecks && isLatest(); look += 1) {
          const found = await call('GET /latchkey/account/communities/{communityId}/roles', { communityId });
          const check = await call('GET /latchkey/account/communities/{communityId}/role-check', { communityId });
          if (!isLatest()) return;
          setRoles(found);
          setFailure(undefined);
          const isOpen = check.isWaiting || check.waiting > 0;
          if (!isOpen && !found.roles.some(({ state }) => state === 'coming' || state === 'going')) break;
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
      } catch (error) {
        // A link that is for wallets alone, or a community that the person is not in yet, is no failure.
        const isNothing =
          error instanceof ApiError && ['SCOPE_NOT_ALLOWED', 'ENTITY_NOT_FOUND'].includes(error.code ?? '');
        if (isLatest()) setFailure(isNothing ? undefined : describeError(error));
      }
      if (isLatest()) setIsChecking(false);
    },
    [call, communityId],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change or a wish of the person is a reason to look again
  useEffect(() => {
    const isLatest = ask();
    void follow(isLatest, asked === 0);
    return () => void ask();
  }, [follow, ask, changes, asked]);

  return { roles, failure, isChecking, again: () => setAsked((count) => count + 1) };
}
