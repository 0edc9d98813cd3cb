import { useState } from 'react';
import { useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Failure, Loading, Page } from '../../shared/ui/index.ts';
import { Builder } from './builder.tsx';
import { t } from './messages/index.ts';
import type { SavedDraft } from './use-rule-form.ts';

export function View() {
  const { communityId, ruleId } = useScreenParams('communityId', 'ruleId');
  return ruleId === '' ? (
    <NewRule communityId={communityId} />
  ) : (
    <SavedRule communityId={communityId} ruleId={ruleId} />
  );
}

function NewRule({ communityId }: { communityId: string }) {
  const role = useStartParam('role');
  const draft = useSavedDraft(communityId);
  if (draft.isLoading) return <Reading title={t('builder.newRule')} communityId={communityId} read={draft} />;
  return <Builder key="new" communityId={communityId} startRoleId={role} savedDraft={draft.found} />;
}

/** From the address itself: a form begins once, and what the router knows of an address may come later than that. */
function useStartParam(name: string): string | undefined {
  return useState(() => new URLSearchParams(location.search).get(name) ?? undefined)[0];
}

/** The draft that the address names. One that was deleted meanwhile is left out. */
function useSavedDraft(communityId: string) {
  const id = useStartParam('draft');
  const read = useOperation(
    'GET /latchkey/communities/{communityId}/rule-drafts',
    { communityId },
    { enabled: id !== undefined },
  );
  const found: SavedDraft | undefined = read.data?.drafts.find((draft) => draft.id === id);
  return { found, isLoading: id !== undefined && read.data === undefined, error: read.error, refetch: read.refetch };
}

function SavedRule({ communityId, ruleId }: { communityId: string; ruleId: string }) {
  const rule = useOperation('GET /latchkey/communities/{communityId}/rules/{ruleId}', { communityId, ruleId });
  // The draft is kept apart from what was read, so that live updates never overwrite it.
  useLive({ communityId });
  const draft = useSavedDraft(communityId);
  if (rule.data !== undefined && !draft.isLoading)
    return <Builder key={ruleId} communityId={communityId} saved={rule.data} savedDraft={draft.found} />;
  return <Reading title={t('builder.rule')} communityId={communityId} read={rule.data === undefined ? rule : draft} />;
}

interface Read {
  error: unknown;
  refetch(): unknown;
}

function Reading({ title, communityId, read }: { title: string; communityId: string; read: Read }) {
  return (
    <Page
      title={title}
      crumbs={[{ title: t('builder.rules'), to: `/communities/${encodeURIComponent(communityId)}/rules` }]}
    >
      {read.error === null ? (
        <Loading text={t('builder.loading')} />
      ) : (
        <Failure error={read.error} onRetry={() => void read.refetch()} />
      )}
    </Page>
  );
}
