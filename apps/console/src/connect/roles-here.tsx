import { ApiError } from '@latchkey/client';
import type { MyRoles } from '@latchkey/core';
import type { ConnectPage } from '@latchkey/kernel';
import { useCallback, useEffect, useState } from 'react';
import type { Call } from '../api.ts';
import { Name } from '../parts/name.tsx';
import { platformName } from '../parts/names.ts';
import { describeError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';

interface RolesHereProps {
  call: Call;
  community: NonNullable<ConnectPage['community']>;
  /** Goes up when a wallet was linked or unlinked: then the roles are read again. */
  changes: number;
}

/** The roles of the community that the page was opened for, with the reasons in words, and the way back there. */
export function RolesHere({ call, community, changes }: RolesHereProps) {
  const { roles, failure, isChecking, again } = useMyRoles(call, community.id, changes);
  if (roles === undefined && failure === undefined && !isChecking) return null;
  const link = roles?.link ?? community.link;
  return (
    <section className="card" aria-labelledby="roles-title" aria-busy={isChecking}>
      <h2 id="roles-title" className="clamped" title={community.name}>
        Your roles in <bdi>{community.name}</bdi>
      </h2>
      {roles?.roles.length === 0 && <p>This community has no rules for roles yet.</p>}
      <ul className="rows">
        {roles?.roles.map((role) => (
          <li key={role.roleId}>
            <span className="row-text">
              <span>
                <Name>{role.name}</Name> <span className={`mark ${role.state}`}>{stateWords[role.state]}</span>
              </span>
              {role.words.map((sentence) => (
                <small key={sentence}>{sentence}</small>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <p className="hint" role="status">
        {isChecking ? 'Checking your roles …' : failure}
      </p>
      <div className="actions">
        {link !== undefined && (
          <a className="choice narrow" href={link} rel="noreferrer">
            Back to {platformName(roles?.platform ?? '') || 'the chat'}
          </a>
        )}
        <button type="button" className="quiet" disabled={isChecking} onClick={again}>
          Check again
        </button>
      </div>
    </section>
  );
}

const stateWords: Readonly<Record<MyRoles['roles'][number]['state'], string>> = {
  kept: 'You have it',
  coming: 'You qualify and get it in a moment',
  going: 'You no longer qualify',
  missing: 'Not yet',
  unknown: 'Could not be checked',
};

const pauseMs = 3_000;
/** A minute; after that the person can check again. */
const mostChecks = 20;

interface MyRolesHere {
  roles: MyRoles | undefined;
  failure: string | undefined;
  isChecking: boolean;
  again(): void;
}

/** The person's roles in one community: read at once, and followed after each change until they have been written. */
function useMyRoles(call: Call, communityId: string, changes: number): MyRolesHere {
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
