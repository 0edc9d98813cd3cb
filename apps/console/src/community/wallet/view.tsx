import { ApiError } from '@latchkey/client';
import { Button } from '@mantine/core';
import { useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { TreasuryView } from '../../shared/treasury/treasury.tsx';
import { EmptyState, Failure, Loading, Page } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

const read = 'GET /communities/{communityId}/wallet';

export function View() {
  const { communityId } = useScreenParams('communityId');
  useLive({ communityId });
  const wallet = useOperation(read, { communityId });
  const create = useAction('PUT /communities/{communityId}/wallet', { done: t('wallet.created'), changes: [read] });
  const isMissing = wallet.error instanceof ApiError && wallet.error.status === 404;
  return (
    <Page title={t('wallet.title')} lead={t('wallet.lead')}>
      {wallet.isPending && <Loading text={t('wallet.loading')} lines={2} />}
      {!isMissing && <Failure error={wallet.error} onRetry={() => void wallet.refetch()} />}
      {isMissing && (
        <EmptyState
          title={t('wallet.emptyTitle')}
          action={
            <Button loading={create.isRunning} onClick={() => create.run({ communityId })}>
              {t('wallet.create')}
            </Button>
          }
        >
          {t('wallet.empty')}
        </EmptyState>
      )}
      <Failure error={create.error} />
      {wallet.data !== undefined && <TreasuryView address={wallet.data.address} communityId={communityId} />}
    </Page>
  );
}
