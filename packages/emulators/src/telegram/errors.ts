/** An error in Telegram's format. */
export class TelegramError extends Error {
  override readonly name = 'TelegramError';
  readonly code: number;
  readonly parameters: { retry_after?: number; migrate_to_chat_id?: number } | undefined;

  constructor(code: number, description: string, parameters?: TelegramError['parameters']) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export const badRequest = (what: string): TelegramError => new TelegramError(400, `Bad Request: ${what}`);
export const forbidden = (what: string): TelegramError => new TelegramError(403, `Forbidden: ${what}`);
export const conflict = (what: string): TelegramError => new TelegramError(409, `Conflict: ${what}`);
/** The group became a supergroup, which has another id. */
export const upgraded = (chatId: number): TelegramError =>
  new TelegramError(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: chatId });
export const tooMany = (seconds: number): TelegramError =>
  new TelegramError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });

export function errorBody({ code, message, parameters }: TelegramError): unknown {
  const base = { ok: false, error_code: code, description: message };
  return parameters === undefined ? base : { ...base, parameters };
}
