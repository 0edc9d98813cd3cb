import { Button, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Answer, type ItemOf, useAction, usePages } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { ConfirmButton, Failure, Form, Picture, Section, Time, useForm } from '../../shared/ui/index.ts';
import { adminName, causeInWords } from '../change-set-words.ts';
import { t } from '../messages/index.ts';
import styles from './change-set.module.css';

const path = '/latchkey/communities/{communityId}/change-sets/{changeSetId}';
const list = `GET ${path}/comments` as const;
type Details = Answer<`GET ${typeof path}`>;
type Comment = ItemOf<typeof list>;

const longestComment = 2_000;

/** What happened to a change set, in order, and what admins wrote about it. */
export function Timeline({ communityId, details }: { communityId: string; details: Details }) {
  const named = { communityId, changeSetId: details.changeSet.id };
  const comments = usePages(list, { ...named, limit: 100 });
  const entries = [
    ...eventsOf(details),
    ...comments.items.map((comment) => ({
      key: comment.id,
      time: comment.createdTime,
      content: <CommentCard communityId={communityId} comment={comment} />,
    })),
  ].toSorted((one, other) => one.time.localeCompare(other.time));
  return (
    <Section title={t('conversation.title')} lead={t('conversation.lead')}>
      <ol className={styles.timeline}>
        {entries.map(({ key, content }) => (
          <li key={key}>{content}</li>
        ))}
      </ol>
      <Failure error={comments.error} onRetry={comments.retry} />
      {comments.hasMore && (
        <Button variant="default" loading={comments.isLoadingMore} onClick={comments.loadMore}>
          {t('conversation.more')}
        </Button>
      )}
      <NewComment {...named} />
    </Section>
  );
}

interface Entry {
  key: string;
  time: string;
  content: ReactNode;
}

/** That it was planned, approved, decided and finished. */
function eventsOf({ changeSet, approvals }: Details): Entry[] {
  const { createdTime, decidedTime, finishedTime, status } = changeSet;
  const entry = (key: string, time: string, event: string): Entry => ({
    key,
    time,
    content: (
      <p className={styles.event}>{t.rich('conversation.event', { event, time: <Time key="time" at={time} /> })}</p>
    ),
  });
  return [
    entry('planned', createdTime, t('conversation.planned', { cause: causeInWords(changeSet) })),
    ...approvals
      .filter(({ time }) => time !== decidedTime)
      .map(({ userId, userName, time }) =>
        entry(userId, time, t('conversation.approved', { who: firstName(userId, userName) })),
      ),
    ...(decidedTime === undefined ? [] : [entry('decided', decidedTime, decisionOf(changeSet))]),
    ...(finishedTime === undefined || finishedTime === decidedTime
      ? []
      : [entry('finished', finishedTime, t(endings[status] ?? 'conversation.finished'))]),
  ];
}

/** The name of an admin where a sentence begins. The names that people chose stay as they are. */
function firstName(id: string, name: string | undefined): string {
  return adminName(id, name ?? (id.startsWith('$') ? t('conversation.operator') : undefined));
}

function decisionOf({ decidedBy = '$', decidedByName, ...changeSet }: Details['changeSet']): string {
  const who = firstName(decidedBy, decidedByName);
  if (changeSet.status === 'rejected')
    return changeSet.restoredRuleChangeIds.length > 0
      ? t('conversation.rejectedAndRestored', { who })
      : t('conversation.rejected', { who });
  if (changeSet.cause === 'undo') return t('conversation.undoStarted', { who });
  const isPartial = changeSet.dropReasons.some(({ reason }) => reason === 'removal-rejected');
  return isPartial ? t('conversation.grantsApproved', { who }) : t('conversation.approved', { who });
}

type Ending = `conversation.${'applied' | 'dropped' | 'failed' | 'undone'}`;
const endings: Readonly<Partial<Record<Details['changeSet']['status'], Ending>>> = {
  done: 'conversation.applied',
  dropped: 'conversation.dropped',
  failed: 'conversation.failed',
  undone: 'conversation.undone',
};

function CommentCard({ communityId, comment }: { communityId: string; comment: Comment }) {
  const { id, changeSetId, userId, userName, text, createdTime } = comment;
  const { accountId } = useSession();
  const name = adminName(userId, userName);
  const remove = useAction(`DELETE ${path}/comments/{commentId}`, { changes: [list], done: t('conversation.deleted') });
  return (
    <article className={styles.comment} aria-label={t('conversation.commentBy', { name })}>
      <header>
        <Picture name={name} size={24} />
        <strong className={styles.author}>{firstName(userId, userName)}</strong>
        <span className={styles.done}>
          <Time at={createdTime} />
        </span>
        {userId === accountId && (
          <ConfirmButton
            label={t('common.delete')}
            look={{ size: 'compact-xs', variant: 'subtle', 'aria-label': t('conversation.deleteYours') }}
            title={t('conversation.deleteTitle')}
            yes={t('conversation.delete')}
            isDangerous
            action={remove}
            onYes={() => remove.runAsync({ communityId, changeSetId, commentId: id })}
          >
            <p>{t('conversation.deleteNote')}</p>
          </ConfirmButton>
        )}
      </header>
      <p className={styles.commentText} dir="auto">
        {text}
      </p>
    </article>
  );
}

function NewComment({ communityId, changeSetId }: { communityId: string; changeSetId: string }) {
  const add = useAction(`POST ${path}/comments`, { changes: [list], onDone: () => form.reset() });
  const form = useForm({ text: '' }, add.error);
  const text = form.values.text.trim();
  return (
    <Form
      isQuiet
      submit={t('conversation.comment')}
      canSubmit={text !== ''}
      action={add}
      onSubmit={() => add.run({ communityId, changeSetId, body: { text } })}
    >
      <Textarea
        label={t('conversation.add')}
        placeholder={t('conversation.addHint')}
        autosize
        minRows={2}
        maxRows={12}
        maxLength={longestComment}
        {...form.text('text')}
      />
    </Form>
  );
}
