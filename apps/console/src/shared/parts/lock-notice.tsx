import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../api/index.ts';
import { t } from './messages/index.ts';

/** Says on pages about rules that only a file changes them, and where that can be ended. */
export function LockNotice({ communityId }: { communityId: string }) {
  const source = useOperation('GET /latchkey/communities/{communityId}/rule-set/source', { communityId });
  if (source.data?.lock === undefined) return null;
  const file = source.data.applied?.file;
  return (
    <Alert color="blue" title={file === undefined ? t('lock.isOn') : t('lock.isOnTo', { file })}>
      {t('lock.why')}{' '}
      <Link to="/communities/$communityId/rules/file" params={{ communityId }}>
        {t('lock.see')}
      </Link>
    </Alert>
  );
}
