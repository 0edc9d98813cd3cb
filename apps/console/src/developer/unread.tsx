import { Failure, Loading, Page } from '../shared/ui/index.ts';

/** A screen whose subject is on its way or cannot be read: it has its title and the way back all the same. */
export function Unread({
  title,
  what,
  error,
  onRetry,
}: {
  title: string;
  what: string;
  error: unknown;
  onRetry(): void;
}) {
  return (
    <Page title={title} crumbs={[{ to: '/developers', title: 'Developers' }]}>
      {error === null ? <Loading what={what} /> : <Failure error={error} onRetry={onRetry} />}
    </Page>
  );
}
