import {
  AppError,
  NoContent,
  notFound,
  op,
  type Page,
  pageOf,
  pageParams,
  principalId,
  record,
  shape,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin } from '../../../communities/access/index.ts';
import { lockOwnCommunity } from '../../../communities/community-records/index.ts';
import { announce } from '../../../services/live-updates/index.ts';
import { communityParam } from '../../../shared/community-id.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import { refuse } from '../../../shared/refuse.ts';
import { readUserNames, type UserNames } from '../api/names.ts';
import { changeSetId } from '../api/params.ts';
import {
  type CommentRow,
  countComments,
  deleteComment,
  insertComment,
  selectComment,
  selectComments,
} from './comments.ts';
import { ownChangeSetOf } from './reads.ts';

const longestComment = 2_000;
const mostComments = 200;

const ChangeSetComment = record('ChangeSetComment', 'What an admin wrote about a change set.', {
  id: text('The id of the comment.'),
  changeSetId: text('The change set it is about.'),
  userId: text('The admin who wrote it; $admin is the operator.'),
  userName: T.Optional(text('Their display name on the platform; absent if unknown.')),
  text: text('What they wrote, as plain text.', { maxLength: longestComment }),
  createdTime: text('When, in ISO 8601.'),
});
type ChangeSetComment = ValueOf<typeof ChangeSetComment>;

const NewComment = shape(
  T.Object(
    {
      text: text('Plain text; line breaks are kept.', { minLength: 1, maxLength: longestComment }),
    },
    { description: 'The comment.' },
  ),
);

const reads = communityAdmin('communityId', 'role-manager');
const decides = confirmedCommunityAdmin('communityId', 'role-manager');
const named = { communityId: communityParam, changeSetId };

export const commentOperations = [
  op(
    'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}/comments',
    {
      id: 'listChangeSetComments',
      summary: 'List comments on a change set',
      description: 'Returns what admins wrote about a change set, oldest first. For community admins.',
      access: reads,
      params: { ...named, ...pageParams },
      returns: pageOf(ChangeSetComment, 'ChangeSetCommentPage'),
      paginated: 'token',
    },
    listChangeSetComments,
  ),
  op(
    'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/comments',
    {
      id: 'commentOnChangeSet',
      summary: 'Comment on a change set',
      description: `Adds a comment to a change set, whatever its status. A change set can have up to ${mostComments} comments; more fail with STATE_CONFLICT. Comments are deleted with the change set. For community admins.`,
      audit: 'change-set.comment',
      access: decides,
      params: named,
      body: NewComment,
      returns: ChangeSetComment,
      errors: ['STATE_CONFLICT'],
      repeatable: true,
    },
    commentOnChangeSet,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/change-sets/{changeSetId}/comments/{commentId}',
    {
      id: 'deleteChangeSetComment',
      summary: 'Delete a comment on a change set',
      description: 'Deletes one of your comments on a change set. The operator can delete any of them.',
      audit: 'change-set.comment-delete',
      access: decides,
      params: { ...named, commentId: text('The id of the comment.', { minLength: 1, maxLength: 64 }) },
      returns: NoContent,
      errors: ['ROLE_NOT_ALLOWED'],
    },
    deleteChangeSetComment,
  ),
] as const;

interface OfChangeSet {
  communityId: string;
  changeSetId: string;
}

export async function listChangeSetComments(
  ctx: Context,
  { communityId, changeSetId, ...request }: OfChangeSet & PageRequest,
): Promise<Page<ChangeSetComment>> {
  const { changeSet, community } = await ownChangeSetOf(ctx, communityId, changeSetId);
  const page = await paginate(ctx, request, {
    list: `change-set-comments:${changeSet.id}`,
    read: (after, limit) => selectComments(ctx.db.system, changeSet.id, after, limit),
    cursorOf: ({ created_at, id }) => [created_at.toISOString(), id],
  });
  const names = await readUserNames(
    ctx,
    community,
    page.items.map(({ author }) => author),
  );
  return { ...page, items: page.items.map((comment) => toComment(comment, names)) };
}

export async function commentOnChangeSet(
  ctx: Context,
  { communityId, changeSetId, body }: OfChangeSet & { body: ValueOf<typeof NewComment> },
): Promise<ChangeSetComment> {
  const { changeSet, community } = await ownChangeSetOf(ctx, communityId, changeSetId);
  const written = body.text.trim();
  if (written === '') throw refuse('/text', 'must not be blank');
  const comment: CommentRow = {
    id: ctx.random.id(),
    change_set_id: changeSet.id,
    community_id: community.id,
    author: principalId(ctx.actor),
    body: written,
    created_at: ctx.clock(),
  };
  await ctx.tx(async (tx) => {
    // Otherwise two comments at once could exceed the limit.
    await lockOwnCommunity(tx, community.id);
    if ((await countComments(tx, changeSet.id)) >= mostComments)
      throw new AppError(
        'STATE_CONFLICT',
        `A change set can have up to ${mostComments} comments. Delete one of yours first.`,
      );
    await insertComment(tx, comment);
    await announce(tx, { changed: 'changeSets', id: changeSet.id, community: community.id });
  });
  return toComment(comment, await readUserNames(ctx, community, [comment.author]));
}

export async function deleteChangeSetComment(
  ctx: Context,
  { communityId, changeSetId, commentId }: OfChangeSet & { commentId: string },
): Promise<void> {
  const { changeSet, community } = await ownChangeSetOf(ctx, communityId, changeSetId);
  await ctx.tx(async (tx) => {
    const comment = await selectComment(tx, changeSet.id, commentId);
    if (comment === undefined) throw notFound('comment');
    if (ctx.actor.kind !== 'admin' && comment.author !== principalId(ctx.actor))
      throw new AppError('ROLE_NOT_ALLOWED', 'Only the author of a comment, or the operator, can delete it.');
    await deleteComment(tx, comment.id);
    await announce(tx, { changed: 'changeSets', id: changeSet.id, community: community.id });
  });
}

function toComment({ id, change_set_id, author, body, created_at }: CommentRow, names: UserNames): ChangeSetComment {
  return {
    id,
    changeSetId: change_set_id,
    userId: author,
    userName: names.userName(author),
    text: body,
    createdTime: created_at.toISOString(),
  };
}
