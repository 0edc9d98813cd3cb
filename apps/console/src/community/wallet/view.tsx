import { ApiError } from '@latchkey/client';
import { Button } from '@mantine/core';
import { useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { TreasuryView } from '../../shared/treasury.tsx';
import { EmptyState, Failure, Loading, Page } from '../../shared/ui/index.ts';

const read = 'GET /communities/{communityId}/wallet';

export function View() {
  const { communityId } = useScreenParams('communityId');
  useLive({ communityId });
  const wallet = useOperation(read, { communityId });
  const create = useAction('PUT /communities/{communityId}/wallet', { done: 'Wallet created.', changes: [read] });
  const isMissing = wallet.error instanceof ApiError && wallet.error.status === 404;
  return (
    <Page title="Wallet" lead="A Safe of the community, which receives donations and payments.">
      {wallet.isPending && <Loading what="the wallet" lines={2} />}
      {!isMissing && <Failure error={wallet.error} onRetry={() => void wallet.refetch()} />}
      {isMissing && (
        <EmptyState
          title="No wallet yet"
          action={
            <Button loading={create.isRunning} onClick={() => create.run({ communityId })}>
              Create wallet
            </Button>
          }
        >
          It can receive coins and tokens at once. This server’s signer creates and stores its key.
        </EmptyState>
      )}
      <Failure error={create.error} />
      {wallet.data !== undefined && <TreasuryView address={wallet.data.address} communityId={communityId} />}
    </Page>
  );
}
