import { ApiError } from '@latchkey/client';
import type { MyRoles } from '@latchkey/core';
import type { ConnectPage } from '@latchkey/kernel';
import { useCallback, useEffect, useState } from 'react';
import type { Call } from '../api.ts';
import { t } from '../messages/index.ts';
import { platformName } from '../parts/names.ts';
import { RoleCard } from '../parts/roles/role-card.tsx';
import { isMoving, RoleStepList, type RoleSteps, stepsKey } from '../parts/roles/role-steps.tsx';
import styles from '../parts/roles/roles.module.css';
import type { Line } from '../parts/roles/rule-tree.tsx';
import { describeError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';
import { chainWords } from '../wallets/chains.ts';

interface RolesHereProps {
  call: Call;
  community: NonNullable<ConnectPage['community']>;
  /** Goes up when a wallet was linked or unlinked: then the roles are read again. */
  changes: number;
  /** Where the page offers to link a wallet. */
  addWalletId: string;
}

/** The roles of the community that the page was opened for: what happens now, what each needs, and the way back there. */
export function RolesHere({ call, community, changes, addWalletId }: RolesHereProps) {
  const { roles, steps, failure, isChecking, isMember, hasInvite, again } = useMyRoles(call, community.id, changes);
  if (roles === undefined && failure === undefined && !isChecking && isMember) return null;
  const link = roles?.link ?? community.link;
  const title = `roles-${community.id}`;
  const platform = platformName(roles?.platform ?? '');
  const actionFor = (line: Line) => {
    if (line.state === 'unknown')
      return (
        <button type="button" className="quiet" disabled={isChecking} onClick={again}>
          {t('roles.checkAgain')}
        </button>
      );
    if (line.account === 'twitter') return <a href="/console/me">{t('roles.linkX')}</a>;
    if (line.link !== undefined && line.state === 'not-met')
      return (
        <a href={line.link} target="_blank" rel="noopener noreferrer">
          {t('roles.openCollection')}
        </a>
      );
    return line.account === undefined && line.amount === undefined ? null : (
      <a href={`#${addWalletId}`}>
        {line.account === undefined
          ? t('roles.linkAnother')
          : t('roles.linkOn', { chain: chainWords(line.account).name })}
      </a>
    );
  };
  return (
    <section className="card" aria-labelledby={title} aria-busy={isChecking}>
      <h2 id={title} className="clamped" title={community.name}>
        {t.rich('roles.in', { community: <bdi key="community">{community.name}</bdi> })}
      </h2>
      {!isMember && !isChecking && <p>{t('roles.notMember')}</p>}
      {hasInvite && !isMember && (
        <div className="actions">
          <a className="button" href={`/console/me/roles?server=${encodeURIComponent(community.id)}`}>
            {t('roles.see')}
          </a>
        </div>
      )}
      {steps !== undefined && roles?.roles.length !== 0 && <RoleStepList steps={steps} />}
      {roles?.roles.length === 0 && <p>{t('roles.noRules')}</p>}
      <ul className={styles.roles}>
        {roles?.roles.map((role) => (
          <li key={role.roleId}>
            <RoleCard role={role} platform={roles.platform} action={actionFor} />
          </li>
        ))}
      </ul>
      <p className="hint" role="status">
        {isChecking ? t('roles.checking') : failure}
      </p>
      <div className="actions">
        {link !== undefined && (
          <a className="choice narrow" href={link} rel="noreferrer">
            {platform === '' ? t('roles.backToChat') : t('roles.backTo', { platform })}
          </a>
        )}
        <button type="button" className="quiet" disabled={isChecking} onClick={again}>
          {t('roles.checkAgain')}
        </button>
      </div>
    </section>
  );
}

const pauseMs = 3_000;
/** A minute; after that the person can check again. */
const mostLooks = 20;

interface MyRolesHere {
  roles: MyRoles | undefined;
  steps: RoleSteps | undefined;
  failure: string | undefined;
  isChecking: boolean;
  /** False when the community does not know the person. */
  isMember: boolean;
  /** Whether the person can get an invite that gives them their roles. */
  hasInvite: boolean;
  again(): void;
}

/** The person's roles in one community: read at once, and again after each step until nothing moves by itself. */
function useMyRoles(call: Call, communityId: string, changes: number): MyRolesHere {
  const [roles, setRoles] = useState<MyRoles>();
  const [steps, setSteps] = useState<RoleSteps>();
  const [failure, setFailure] = useState<string>();
  const [isChecking, setIsChecking] = useState(true);
  const [isMember, setIsMember] = useState(true);
  const [hasInvite, setHasInvite] = useState(false);
  const [requested, setAsked] = useState(0);
  const ask = useLatest();

  const follow = useCallback(
    async (isLatest: () => boolean, isFirst: boolean) => {
      setIsChecking(true);
      try {
        // A change of wallets has started a check by itself.
        if (!isFirst) await call('POST /latchkey/account/communities/{communityId}/role-check', { communityId });
        let shown: string | undefined;
        for (let look = 0; look < mostLooks && isLatest(); look += 1) {
          const reached = await call('GET /latchkey/account/communities/{communityId}/role-steps', { communityId });
          if (!isLatest()) return;
          setSteps(reached);
          // Each look at the roles reads wallets, so they are fetched only when a step has changed.
          if (shown !== stepsKey(reached)) {
            shown = stepsKey(reached);
            const found = await call('GET /latchkey/account/communities/{communityId}/roles', { communityId });
            if (!isLatest()) return;
            setRoles(found);
          }
          setFailure(undefined);
          setIsMember(true);
          if (!isMoving(reached)) break;
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
      } catch (error) {
        if (!isLatest()) return;
        // A link that is for wallets alone, or a community that the person is not in yet, is no failure.
        const code = error instanceof ApiError ? error.code : undefined;
        setIsMember(code !== 'ENTITY_NOT_FOUND');
        if (code === 'ENTITY_NOT_FOUND')
          setHasInvite(
            await call('GET /latchkey/account/communities/{communityId}/role-invite', { communityId }).then(
              () => true,
              () => false,
            ),
          );
        setFailure(code === 'SCOPE_NOT_ALLOWED' || code === 'ENTITY_NOT_FOUND' ? undefined : describeError(error));
      }
      if (isLatest()) setIsChecking(false);
    },
    [call, communityId],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change or a wish of the person is a reason to look again
  useEffect(() => {
    const isLatest = ask();
    void follow(isLatest, requested === 0);
    return () => void ask();
  }, [follow, ask, changes, requested]);

  return { roles, steps, failure, isChecking, isMember, hasInvite, again: () => setAsked((count) => count + 1) };
}
