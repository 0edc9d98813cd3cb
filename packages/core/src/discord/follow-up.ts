import { notFound } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { askDiscord } from './ask-discord.ts';
import { openInteraction } from './interaction-state.ts';
import { quiet } from './send-message.ts';

type FollowUpContext = Pick<Context, 'clock' | 'db' | 'discord' | 'keyring'>;
type Message = { interactionId: string; messageId: string };

export async function followUp(
  ctx: FollowUpContext,
  { interactionId, body }: { interactionId: string; body: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const handle = await openInteraction(ctx, interactionId);
  return askDiscord(ctx, (discord) => discord.followUp(handle, quiet(body)));
}

export async function editMessage(
  ctx: FollowUpContext,
  { interactionId, messageId, body }: Message & { body: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const handle = await openInteraction(ctx, interactionId);
  const message = await askDiscord(ctx, (discord) => discord.editFollowUp(handle, messageId, quiet(body)));
  if (message === undefined) throw notFound('message');
  return message;
}

export async function getMessage(
  ctx: FollowUpContext,
  { interactionId, messageId }: Message,
): Promise<Record<string, unknown>> {
  const handle = await openInteraction(ctx, interactionId);
  const message = await askDiscord(ctx, (discord) => discord.readFollowUp(handle, messageId));
  if (message === undefined) throw notFound('message');
  return message;
}

export async function deleteMessage(ctx: FollowUpContext, { interactionId, messageId }: Message): Promise<void> {
  const handle = await openInteraction(ctx, interactionId);
  if (!(await askDiscord(ctx, (discord) => discord.deleteFollowUp(handle, messageId)))) throw notFound('message');
}
