import { ApiError } from '@latchkey/client';
import { Button } from '@mantine/core';
import { useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { TreasuryView } from '../../shared/treasury/index.ts';
import { EmptyState, Failure, Loading, Section } from '../../shared/ui/index.ts';

const read = 'GET /dev-orgs/{orgId}/wallet';

/** The Safe of the organization. */
export function Wallet({ orgId }: { orgId: string }) {
  useLive('account');
  const wallet = useOperation(read, { orgId });
  const create = useAction('PUT /dev-orgs/{orgId}/wallet', { changes: [read] });
  if (wallet.data !== undefined) return <TreasuryView title="Wallet" address={wallet.data.address} />;
  const isMissing = wallet.error instanceof ApiError && wallet.error.status === 404;
  return (
    <Section title="Wallet">
      {wallet.isPending && <Loading what="the wallet" lines={2} />}
      {!isMissing && <Failure error={wallet.error} onRetry={() => void wallet.refetch()} />}
      {isMissing && (
        <EmptyState
          title="No wallet yet"
          action={
            <Button variant="default" loading={create.isRunning} onClick={() => create.run({ orgId })}>
              Create wallet
            </Button>
          }
        >
          A Safe that receives coins and tokens for the organization. This server’s signer makes and keeps its key.
        </EmptyState>
      )}
      <Failure error={create.error} />
    </Section>
  );
}
