import type { TelegramEvent } from '@latchkey/core/ports';
import type { Log } from '@latchkey/kernel';
import type { Update } from 'grammy/types';
import { readUpdate } from './read-update.ts';

interface PostedUpdate {
  updateId: number;
  /** Undefined for updates that are not used. */
  event: TelegramEvent | undefined;
}

/** Parses an update posted to the webhook. Returns undefined if it is not an update. */
export function readPosted(json: string, botName: string, log: Log): PostedUpdate | undefined {
  const update = parseUpdate(json);
  if (update === undefined) return undefined;
  const updateId = update.update_id;
  try {
    return { updateId, event: readUpdate(update, botName) };
  } catch (error) {
    // It would be just as unreadable if sent again, and block its chat.
    log.error('Could not parse a Telegram update; dropping it.', { updateId, error });
    return { updateId, event: undefined };
  }
}

function parseUpdate(json: string): Update | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    return isUpdate(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isUpdate(value: unknown): value is Update {
  return typeof value === 'object' && value !== null && 'update_id' in value && isId(value.update_id);
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
