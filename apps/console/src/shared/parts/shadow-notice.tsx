import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../api/index.ts';
import { t } from './messages/index.ts';

/** Says on pages about roles that none are written while a community is in shadow mode. */
export function ShadowNotice({ communityId }: { communityId: string }) {
  const shadow = useOperation('GET /latchkey/communities/{communityId}/shadow-mode', { communityId });
  if (shadow.data?.isOn !== true) return null;
  return (
    <Alert color="yellow" title={t('shadow.isOn')}>
      {t('shadow.why')}{' '}
      <Link to="/communities/$communityId/shadow-mode" params={{ communityId }}>
        {t('shadow.seeDifferences')}
      </Link>
    </Alert>
  );
}
