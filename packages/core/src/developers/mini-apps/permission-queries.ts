import { type Hashed, hashSecret, type Sealed, type Sql } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';

/** A permission question to a user, and the app's button that they had pressed. */
export interface PermissionQuestion {
  userId: string;
  communityId: string;
  appId: string;
  clientId: string;
  scopes: readonly string[];
  pressed: PressedButton;
}

/** A button of an app, with its message as Discord showed it. */
export interface PressedButton {
  interactionId: string;
  message: unknown;
}

interface PermissionQuestionRow {
  secret_hash: Hashed;
  user_id: string;
  community_id: string;
  app_id: string;
  client_id: string;
  scopes: string[];
  pressed: Sealed;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    permission_questions: PermissionQuestionRow;
  }
}

const secretLength = 32;
const answerWithinSeconds = 5 * 60;

/** Stores a question, and returns the secret with which it can be answered once. */
export async function keepQuestion(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'random'>,
  question: PermissionQuestion,
): Promise<string> {
  const secret = ctx.random.id(secretLength);
  const hash = hashSecret(secret);
  await ctx.db.system
    .insertInto('permission_questions')
    .values({
      secret_hash: hash,
      user_id: question.userId,
      community_id: question.communityId,
      app_id: question.appId,
      client_id: question.clientId,
      scopes: [...question.scopes],
      pressed: ctx.keyring.seal(pressedPlace(hash), JSON.stringify(question.pressed)),
      expires_at: addSeconds(ctx.clock(), answerWithinSeconds),
    })
    .execute();
  return secret;
}

/** Closes this user's question in this community and returns it. A press by another user closes nothing. */
export async function takeQuestion(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  secret: string,
  { userId, communityId }: Pick<PermissionQuestion, 'userId' | 'communityId'>,
): Promise<PermissionQuestion | undefined> {
  const row = await ctx.db.system
    .deleteFrom('permission_questions')
    .where('secret_hash', '=', hashSecret(secret))
    .where('user_id', '=', userId)
    .where('community_id', '=', communityId)
    .where('expires_at', '>', ctx.clock())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // Sealed text is authenticated: it can only be what keepQuestion wrote.
  const pressed = JSON.parse(ctx.keyring.openText(pressedPlace(row.secret_hash), row.pressed)) as PressedButton;
  return { userId, communityId, appId: row.app_id, clientId: row.client_id, scopes: row.scopes, pressed };
}

/** Deletes up to `limit` expired questions and returns how many there were. */
export async function deleteOldQuestions(db: Sql, now: Date, limit: number): Promise<number> {
  const old = db.selectFrom('permission_questions').select('secret_hash').where('expires_at', '<=', now).limit(limit);
  const result = await db.deleteFrom('permission_questions').where('secret_hash', 'in', old).executeTakeFirst();
  return Number(result.numDeletedRows);
}

function pressedPlace(hash: string): string {
  return `permission_questions.pressed:${hash}`;
}

/** The sealed column of these questions, for a change of the master key. */
export const permissionQuestionsSealed: readonly SealedColumn[] = [
  {
    table: 'permission_questions',
    column: 'pressed',
    idColumns: ['secret_hash'],
    placeOf: (hash = '') => pressedPlace(hash),
  },
];
