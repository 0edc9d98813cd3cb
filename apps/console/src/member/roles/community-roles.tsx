import { Button } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type ItemOf, useOperation } from '../../shared/api/index.ts';
import { EmptyState, Failure, Loading, Picture, Row } from '../../shared/ui/index.ts';
import { webLink } from '../../shared/web-link.ts';
import { CheckNow } from './check-now.tsx';
import { RoleCard } from './role-card.tsx';
import styles from './roles.module.css';

type Community = ItemOf<'GET /latchkey/account/memberships'>;

export function CommunityRoles({ community, isOpenAtFirst }: { community: Community; isOpenAtFirst: boolean }) {
  const { communityId, name, picture, platform } = community;
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const mine = useOperation(
    'GET /latchkey/account/communities/{communityId}/roles',
    { communityId },
    { enabled: isOpen },
  );
  const { data, error, isFetching, refetch } = mine;
  const link = webLink(data?.link);
  return (
    <section className={styles.community} aria-label={name} aria-busy={isFetching}>
      <Row
        picture={<Picture source={picture} name={name} />}
        title={<h2 className={styles.name}>{name}</h2>}
        note={data === undefined ? platformName(platform) : `${platformName(platform)} · ${countWords(data)}`}
        actions={
          <>
            {link !== undefined && (
              <Button component="a" href={link} rel="noreferrer" size="compact-sm" variant="default">
                Open {platformName(platform)}
              </Button>
            )}
            {isOpen ? (
              <CheckNow communityId={communityId} name={name} />
            ) : (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Show roles in ${name}`}
                onClick={() => setIsOpen(true)}
              >
                Show roles
              </Button>
            )}
          </>
        }
      />
      {isOpen && data === undefined && error === null && <Loading what={`your roles in ${name}`} />}
      {isOpen && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.roles.length === 0 && <EmptyState title="This community has no rules for roles yet" />}
      <ul className={styles.roles}>
        {data?.roles.map((role) => (
          <li key={role.roleId}>
            <RoleCard role={role} onCheck={() => void refetch()} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function countWords({ roles, wallets, conditions, conditionsMet }: NonNullable<Mine>): string {
  const held = roles.filter(({ has }) => has).length;
  const linked = wallets === 1 ? '1 linked wallet' : `${wallets} linked wallets`;
  return `${held} of ${roles.length} roles · ${conditionsMet} of ${conditions} conditions met · ${linked}`;
}

type Mine = ReturnType<typeof useOperation<'GET /latchkey/account/communities/{communityId}/roles'>>['data'];
