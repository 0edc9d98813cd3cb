import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { askDiscord } from './ask-discord.ts';
import { openInteraction } from './interaction-state.ts';
import { refuseOwnButtons } from './own-buttons.ts';

type FollowUpContext = Pick<Context, 'clock' | 'db' | 'discord' | 'keyring'>;
type Message = { interactionId: string; messageId: string };

export async function followUp(
  ctx: FollowUpContext,
  { interactionId, body }: { interactionId: string; body: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const handle = await openInteraction(ctx, interactionId);
  refuseOwnButtons(body);
  return askDiscord(ctx, (discord) => discord.followUp(handle, sparing(body)));
}

export async function editMessage(
  ctx: FollowUpContext,
  { interactionId, messageId, body }: Message & { body: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const handle = await openInteraction(ctx, interactionId);
  refuseOwnButtons(body);
  const message = await askDiscord(ctx, (discord) => discord.editFollowUp(handle, messageId, sparing(body)));
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

/** Whoever holds a callback address, a mini-app for instance, may name people, but never ping a whole server or role. */
function sparing(message: Record<string, unknown>): Record<string, unknown> {
  const { parse } = Object(message.allowed_mentions) as { parse?: unknown };
  const wantsUsers = Array.isArray(parse) && parse.includes('users');
  return { ...message, allowed_mentions: { parse: wantsUsers ? ['users'] : [] } };
}
