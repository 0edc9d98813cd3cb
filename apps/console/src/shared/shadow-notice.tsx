import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useOperation } from './api/index.ts';

/** Says on pages about roles that none are written while a community is in shadow mode. */
export function ShadowNotice({ communityId }: { communityId: string }) {
  const shadow = useOperation('GET /latchkey/communities/{communityId}/shadow-mode', { communityId });
  if (shadow.data?.isOn !== true) return null;
  return (
    <Alert color="yellow" title="Shadow mode is on: no role is written">
      Rules are evaluated beside another bot.{' '}
      <Link to="/communities/$communityId/shadow-mode" params={{ communityId }}>
        See where roles and rules differ
      </Link>
    </Alert>
  );
}
