import { Text } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import { chainName } from '../../shared/chain-name.ts';
import { ReasonTree } from '../../shared/reasons/index.ts';
import { EmptyState, Failure, Loading, State, type Tone } from '../../shared/ui/index.ts';
import styles from './member.module.css';

/** Every role that a rule gives, whether the member has it, and the conditions behind it. Wallets are read for it. */
export function RolesNow({ communityId, userId }: { communityId: string; userId: string }) {
  const roles = useOperation('GET /latchkey/communities/{communityId}/members/{userId}/roles', { communityId, userId });
  if (roles.isLoading) return <Loading what="what the wallets hold" />;
  if (roles.error !== null) return <Failure error={roles.error} onRetry={() => void roles.refetch()} />;
  if (roles.data === undefined || roles.data.roles.length === 0)
    return <EmptyState title="No rule gives a role yet">Create a rule to give roles by what wallets hold.</EmptyState>;
  return (
    <ul className={styles.roles}>
      {roles.data.roles.map(({ roleId, roleName, has, qualifies, isSuppressed, lines, blocks }) => {
        const [word, tone] = standing(has, qualifies);
        return (
          <li key={roleId}>
            <h3>
              {roleName ?? `Role ${roleId}`} <State tone={tone}>{word}</State>
              {isSuppressed && <State tone="warn">Left alone after an undo</State>}
            </h3>
            <ReasonTree lines={lines} />
            <Blocks blocks={blocks} />
          </li>
        );
      })}
    </ul>
  );
}

function standing(has: boolean, qualifies: boolean | undefined): [string, Tone] {
  if (qualifies === undefined) return [has ? 'Has it; could not be checked' : 'Could not be checked', 'warn'];
  if (has) return qualifies ? ['Has it', 'good'] : ['Has it, but no longer qualifies', 'bad'];
  return qualifies ? ['Qualifies; comes with the next check', 'good'] : ['Does not qualify', 'plain'];
}

/** The blocks that holdings were read at, so that anybody can check them. */
export function Blocks({ blocks }: { blocks: Readonly<Record<string, unknown>> }) {
  const read = Object.entries(blocks);
  if (read.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      Read at {read.map(([chain, block]) => `block ${String(block)} of ${chainName(chain)}`).join(', ')}
    </Text>
  );
}
