import { Button, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Answer, type ItemOf, useAction, usePages } from '../../shared/api/index.ts';
import { adminName, causeInWords } from '../../shared/change-set-words.ts';
import { useSession } from '../../shared/session.ts';
import { ConfirmButton, Failure, Form, Picture, Section, Time, useForm } from '../../shared/ui/index.ts';
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
    <Section title="Conversation" lead="Admins of this community see these comments. Members do not.">
      <ol className={styles.timeline}>
        {entries.map(({ key, content }) => (
          <li key={key}>{content}</li>
        ))}
      </ol>
      <Failure error={comments.error} onRetry={comments.retry} />
      {comments.hasMore && (
        <Button variant="default" loading={comments.isLoadingMore} onClick={comments.loadMore}>
          Show more comments
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
  const event = (key: string, time: string, words: string): Entry => ({
    key,
    time,
    content: (
      <p className={styles.event}>
        {words}, <Time at={time} />
      </p>
    ),
  });
  return [
    event('planned', createdTime, `Planned after ${causeInWords(changeSet)}`),
    ...approvals
      .filter(({ time }) => time !== decidedTime)
      .map(({ userId, userName, time }) =>
        event(userId, time, `${adminName(userId, userName)} approved these changes`),
      ),
    ...(decidedTime === undefined ? [] : [event('decided', decidedTime, decisionOf(changeSet))]),
    ...(finishedTime === undefined || finishedTime === decidedTime
      ? []
      : [event('finished', finishedTime, endings[status] ?? 'Finished')]),
  ];
}

function decisionOf({ decidedBy = '$', decidedByName, ...changeSet }: Details['changeSet']): string {
  const who = adminName(decidedBy, decidedByName);
  if (changeSet.status === 'rejected')
    return `${who} rejected these changes${changeSet.restoredRuleChangeIds.length > 0 ? ' and restored the rule' : ''}`;
  if (changeSet.cause === 'undo') return `${who} started this undo`;
  const isPartial = changeSet.dropReasons.some(({ reason }) => reason === 'removal-rejected');
  return isPartial ? `${who} approved the grants and rejected the removals` : `${who} approved these changes`;
}

const endings: Readonly<Partial<Record<Details['changeSet']['status'], string>>> = {
  done: 'Applied',
  dropped: 'Dropped: no change was needed any more',
  failed: 'Finished; the platform refused some changes',
  undone: 'Undone',
};

function CommentCard({ communityId, comment }: { communityId: string; comment: Comment }) {
  const { id, changeSetId, userId, userName, text, createdTime } = comment;
  const { accountId } = useSession();
  const name = adminName(userId, userName);
  const remove = useAction(`DELETE ${path}/comments/{commentId}`, { changes: [list], done: 'Comment deleted.' });
  return (
    <article className={styles.comment} aria-label={`Comment by ${name}`}>
      <header>
        <Picture name={name} size={24} />
        <strong className={styles.author}>{name}</strong>
        <span className={styles.done}>
          <Time at={createdTime} />
        </span>
        {userId === accountId && (
          <ConfirmButton
            label="Delete"
            look={{ size: 'compact-xs', variant: 'subtle', 'aria-label': 'Delete your comment' }}
            title="Delete your comment?"
            yes="Delete comment"
            isDangerous
            action={remove}
            onYes={() => remove.runAsync({ communityId, changeSetId, commentId: id })}
          >
            <p>It is deleted for all admins. You cannot take this back.</p>
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
      submit="Comment"
      canSubmit={text !== ''}
      action={add}
      onSubmit={() => add.run({ communityId, changeSetId, body: { text } })}
    >
      <Textarea
        label="Add a comment"
        placeholder="What should the other admins know?"
        autosize
        minRows={2}
        maxRows={12}
        maxLength={longestComment}
        {...form.text('text')}
      />
    </Form>
  );
}
