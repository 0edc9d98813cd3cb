import { baseOf } from '@latchkey/adapter-kit';
import type { RoleHost } from '@latchkey/core/ports';
import { downloadPicture } from '../pictures/download.ts';
import type { TelegramCall, TelegramOptions } from './client.ts';

/** Paths of Telegram's files, as photos/file_12.jpg; with anything else the address might lead elsewhere. */
const plainPath = /^[\w-]+(\/[\w-]+)*(\.\w+)?$/;

/** The small photo of a chat: 160 pixels, from the Bot API's files, whose addresses hold the token. */
export function createPictureReader(
  call: TelegramCall,
  { apiUrl, token, fetch }: Pick<TelegramOptions, 'apiUrl' | 'token' | 'fetch'>,
): NonNullable<RoleHost['readPicture']> {
  return async (chatId, version, signal) => {
    const { photo } = await call((api, abort) => api.getChat(chatId, abort), signal);
    if (photo === undefined) return { kind: 'none' };
    if (photo.small_file_unique_id === version) return { kind: 'same' };
    const { file_path: path = '' } = await call((api, abort) => api.getFile(photo.small_file_id, abort), signal);
    const url = `${baseOf(apiUrl)}/file/bot${token}/${path}`;
    const bytes = plainPath.test(path) ? await downloadPicture(fetch, url, 'Telegram', signal) : new Uint8Array();
    return { kind: 'picture', version: photo.small_file_unique_id, bytes };
  };
}
