import type { MyRoles } from '@latchkey/core';
import type { ConnectPage } from '@latchkey/kernel';
import type { Call } from '../api.ts';
import { Name } from '../parts/name.tsx';
import { platformName } from '../parts/names.ts';
import { useMyRoles } from './use-my-roles.ts';

interface RolesHereProps {
  call: Call;
  community: NonNullable<ConnectPage['community']>;
  /** Counts up when a wallet was linked or unlinked: then it is looked again. */
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
