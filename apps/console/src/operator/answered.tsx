import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure, Loading } from '../shared/ui/index.ts';

/** What a read answered, or that it is on its way, or why it failed. A later failure leaves what was read in its place. */
export function Answered<Data>({
  read,
  what,
  children,
}: {
  read: UseQueryResult<Data>;
  what: string;
  children(data: Data): ReactNode;
}) {
  const retry = () => void read.refetch();
  if (read.data === undefined)
    return read.error === null ? <Loading what={what} /> : <Failure error={read.error} onRetry={retry} />;
  return (
    <>
      {read.error !== null && <Failure error={read.error} onRetry={retry} />}
      {children(read.data)}
    </>
  );
}
